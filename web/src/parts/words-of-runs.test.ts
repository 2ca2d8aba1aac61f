import { describe, expect, it } from 'vitest';

import { originWords, runMessage, scriptWords } from './words-of-runs.ts';

const english = (en: string) => en;
const chinese = (_en: string, zh: string) => zh;
const failure = {
  end_cause: 'exit',
  exit_code: 3,
  envelope: 'synthesized',
  result: { code: -1, msg: '脚本执行失败，退出码 3\ntrace' },
} as const;

describe('runMessage', () => {
  it('is the first line of the message of the script', () => {
    const result = { code: 0, msg: '\n three pictures\nand more' };
    expect(runMessage({ ...failure, envelope: 'own', result }, english)).toBe('three pictures');
  });

  it('is in the language of the reader if Hob wrote the message', () => {
    expect(runMessage(failure, english)).toBe('Exit code 3');
    expect(runMessage(failure, chinese)).toBe('退出码 3');
    expect(runMessage({ ...failure, end_cause: 'timeout', exit_code: -1 }, english)).toBe('Timed out');
  });

  it('is empty for a success without a message', () => {
    expect(runMessage({ ...failure, exit_code: 0 }, english)).toBe('');
    expect(
      runMessage({ ...failure, exit_code: 0, envelope: 'own', result: { code: 0, msg: '' } }, english),
    ).toBe('');
  });

  it('is the reason if the script could not be started', () => {
    const result = { code: -1, msg: 'There is no python3' };
    expect(runMessage({ ...failure, end_cause: 'spawn-failed', result }, english)).toBe(result.msg);
  });
});

describe('originWords', () => {
  it('names the program of an agent, if it is known', () => {
    const run = { origin: 'mcp', client: 'claude-code' } as const;
    expect(originWords(run, english)).toBe('agent: claude-code');
    expect(originWords(run, chinese)).toBe('智能体：claude-code');
    expect(originWords({ ...run, client: null }, english)).toBe('started by an agent');
  });
});

describe('scriptWords', () => {
  it('leaves out the line that Hob wrote', () => {
    expect(scriptWords(failure)).toBe('trace');
  });
});
