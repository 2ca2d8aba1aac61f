import { describe, expect, it } from 'vitest';

import { endCauses } from '../../execution/messages.ts';
import { describeWindowEnd } from './end-text.ts';

const end = { cause: 'exit', exitCode: 0, signal: null, durationMs: 1234 } as const;

describe('describeWindowEnd', () => {
  it('says how the run ended and how long it took, in both languages', () => {
    expect(describeWindowEnd(end)).toEqual({ en: 'Done in 1.2 s.', zh: '已完成，用时 1.2 秒。' });
    expect(describeWindowEnd({ ...end, exitCode: 7 }).en).toBe('Failed with exit code 7 after 1.2 s.');
    expect(describeWindowEnd({ ...end, cause: 'signal', signal: 'SIGINT' }).zh).toBe(
      '被信号 SIGINT 终止，用时 1.2 秒。',
    );
  });

  it('has another text for every cause', () => {
    const texts = endCauses.map((cause) => describeWindowEnd({ ...end, cause, signal: 'SIGTERM' }));
    for (const language of ['en', 'zh'] as const) {
      expect(new Set(texts.map((text) => text[language])).size).toBe(endCauses.length);
    }
  });
});
