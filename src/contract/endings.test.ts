import { describe, expect, it } from 'vitest';

import { describeEnding, endNames } from './endings.ts';
import { endCauses } from './values.ts';

describe('an ending', () => {
  it('has a name and a sentence in both languages for every cause', () => {
    const names = endCauses.map((cause) => endNames[cause]);
    const sentences = endCauses.map((cause) => describeEnding({ cause, exitCode: 1 }));
    for (const { en, zh } of [...names, ...sentences]) {
      expect(en).toMatch(/^[A-Z][^\p{Script=Han}]+[^.]$/u);
      expect(zh).toMatch(/\p{Script=Han}/u);
      expect(`${en}${zh}`).not.toMatch(/undefined|null/);
    }
    expect(new Set(sentences.map(({ en }) => en)).size).toBe(endCauses.length);
  });

  it.each([
    [{ cause: 'signal', exitCode: 143, signal: 'SIGTERM' }, 'The script was terminated by SIGTERM'],
    [{ cause: 'signal', exitCode: 143 }, 'The script was terminated by a signal (exit code 143)'],
    [{ cause: 'timeout', exitCode: -1, timeoutMs: 1500 }, 'The script ran longer than 1.5 s and was stopped'],
    [{ cause: 'timeout', exitCode: -1 }, 'The script exceeded its time limit and was stopped'],
    [
      { cause: 'spawn-failed', exitCode: -1, spawnError: 'EACCES' },
      'The script could not be started (EACCES)',
    ],
    [
      { cause: 'cancelled', exitCode: -1, isWindowClosed: true },
      'The run was stopped because its window was closed',
    ],
  ] as const)('states what is known: %o', (ending, sentence) => {
    expect(describeEnding(ending).en).toBe(sentence);
  });
});
