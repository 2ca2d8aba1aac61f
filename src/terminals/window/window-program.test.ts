import { describe, expect, it } from 'vitest';

import { endCauses } from '../../contract/values.ts';
import { describeHeldEnd } from './window-program.ts';

const end = { cause: 'exit', exitCode: 0, signal: null, durationMs: 1234 } as const;

describe('describeHeldEnd', () => {
  it('says how the run ended and how long it took, in both languages', () => {
    expect(describeHeldEnd(end)).toEqual({
      en: 'Done in 1.2 s. Press any key to close this window.',
      zh: '已完成，用时 1.2 秒。按任意键关闭窗口。',
    });
    expect(describeHeldEnd({ ...end, exitCode: 7 }).en).toMatch(
      /^The script failed with exit code 7 after 1\.2 s\. /,
    );
    expect(describeHeldEnd({ ...end, cause: 'signal', signal: 'SIGINT' }).zh).toMatch(
      /^脚本被信号 SIGINT 终止，用时 1\.2 秒。/,
    );
  });

  it('has a different text for every end cause', () => {
    const texts = endCauses.map((cause) => describeHeldEnd({ ...end, cause, signal: 'SIGTERM' }));
    for (const language of ['en', 'zh'] as const) {
      expect(new Set(texts.map((text) => text[language])).size).toBe(endCauses.length);
    }
  });
});
