import { describe, expect, it } from 'vitest';

import { endLine, scriptWords } from './words-of-runs.ts';

const say = (en: string) => en;
const own = {
  end_cause: 'exit',
  exit_code: 0,
  envelope: 'own',
  result: { code: 0, msg: '\n三张图片\n更多' },
} as const;
const hobs = (end_cause: 'exit' | 'cancelled' | 'spawn-failed', msg: string, exit_code = 1) =>
  ({ end_cause, exit_code, envelope: 'synthesized', result: { code: -1, msg } }) as const;

describe('the end of a run, in a line', () => {
  it('is what the script said of it', () => {
    expect(endLine(own, say)).toBe('三张图片');
    expect(scriptWords(own)).toBe(own.result.msg);
  });

  it('is in the language of who reads where the script said nothing', () => {
    expect(endLine(hobs('cancelled', '运行已取消'), say)).toBe('It was cancelled');
    expect(endLine(hobs('exit', '脚本执行失败，退出码 3\nno such file', 3), say)).toBe(
      'The script ended with exit code 3',
    );
    expect(scriptWords(hobs('exit', '脚本执行失败，退出码 3\nno such file', 3))).toBe('no such file');
  });

  it('is why it could not be started, which nothing else says', () => {
    expect(endLine(hobs('spawn-failed', 'There is no python3'), say)).toBe('There is no python3');
  });

  it('is nothing while it lasts', () => {
    expect(endLine({ end_cause: null, exit_code: null, envelope: null, result: null }, say)).toBe('');
  });
});
