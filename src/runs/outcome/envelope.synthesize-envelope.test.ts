import { describe, expect, it } from 'vitest';

import { endWithoutProcess, type RunEnd } from '../../execution/messages.ts';
import type { EnvelopeReading } from './envelope.ts';
import { type Circumstances, synthesizeEnvelope } from './read-outcome.ts';

describe('the envelope that Hob writes if the script wrote none', () => {
  const ended = (rest: Partial<RunEnd>): RunEnd => ({
    ...endWithoutProcess('r', 'exit'),
    exitCode: 0,
    ...rest,
  });

  interface Rest extends Partial<Circumstances> {
    reading?: EnvelopeReading;
    lastErrorLines?: string;
  }

  function synthesize(end: RunEnd, { reading, lastErrorLines, ...rest }: Rest = {}) {
    const circumstances = { end, timeoutMs: null, unavailable: null, language: 'en' as const, ...rest };
    return synthesizeEnvelope(circumstances, reading ?? { kind: 'absent' }, lastErrorLines ?? '');
  }

  it.each([
    ['a non-zero exit', ended({ exitCode: 3 }), -1, '3'],
    ['a signal', ended({ cause: 'signal', signal: 'SIGKILL', exitCode: 137 }), -1, 'SIGKILL'],
    ['a cancelled run', ended({ cause: 'cancelled', exitCode: 143 }), -1, 'cancelled'],
    ['a cancelled run that exits with 0', ended({ cause: 'cancelled' }), -1, 'cancelled'],
    ['a shutdown', ended({ cause: 'shutdown', exitCode: 143 }), -1, 'stopped'],
    ['a lost run', ended({ cause: 'lost', exitCode: -1 }), -1, 'unknown'],
    ['a failed spawn', ended({ cause: 'spawn-failed', spawnError: 'ENOENT', exitCode: -1 }), -1, 'ENOENT'],
    ['no envelope', ended({}), -3, 'wrote no result'],
  ] as const)('describes the end: %s', (_name, end, code, word) => {
    const envelope = synthesize(end);
    expect(Object.keys(envelope)).toEqual(['code', 'msg']);
    expect(envelope.code).toBe(code);
    expect(envelope.msg).toContain(word);
  });

  it('states the time limit of a run, for any exit code', () => {
    for (const exitCode of [0, 143]) {
      const envelope = synthesize(ended({ cause: 'timeout', exitCode }), { timeoutMs: 1500 });
      expect(envelope.code).toBe(-2);
      expect(envelope.msg).toContain('1.5 s');
    }
  });

  it.each([
    ['a good end', ended({}), -3, /^The script exited with code 0, but/],
    ['a failure', ended({ exitCode: 1 }), -1, /^The script failed with exit code 1, and/],
    ['a timeout', ended({ cause: 'timeout', exitCode: 143 }), -2, /^The script ran longer than 2 s .*, and/],
    ['a signal', ended({ cause: 'signal', signal: 'SIGSEGV', exitCode: 139 }), -1, /SIGSEGV, and/],
    ['a lost end', ended({ cause: 'lost', exitCode: -1 }), -1, /unknown, and/],
  ] as const)('states the defect of an invalid envelope too: after %s', (_name, end, code, start) => {
    const why = { en: 'code is not an integer', zh: 'code 不是整数' };
    const rest = {
      reading: { kind: 'invalid', why },
      timeoutMs: 2000,
      lastErrorLines: 'last words',
    } as const;
    const envelope = synthesize(end, rest);
    expect(envelope.code).toBe(code);
    expect(envelope.msg).toMatch(start);
    expect(envelope.msg).toMatch(/its result is not valid: code is not an integer\nlast words$/);
    expect(synthesize(end, { ...rest, language: 'zh' }).msg).toMatch(/结果无效：code 不是整数\nlast words$/);
  });

  it('states what is missing when a script could not be started', () => {
    const unavailable = { en: 'No ruby was found', zh: '没有找到 ruby' };
    const end = endWithoutProcess('r', 'spawn-failed');
    expect(synthesize(end, { unavailable })).toEqual({ code: -1, msg: 'No ruby was found' });
    expect(synthesize(end, { unavailable, language: 'zh' })).toEqual({ code: -1, msg: '没有找到 ruby' });
  });

  it('contains the last lines of stderr', () => {
    const envelope = synthesize(ended({ exitCode: 1 }), { lastErrorLines: 'Traceback\nValueError: x' });
    expect(envelope.msg).toMatch(/exit code 1\nTraceback\nValueError: x$/);
  });

  it('is available in Chinese', () => {
    expect(synthesize(ended({ exitCode: 2 }), { language: 'zh' }).msg).toMatch(/退出码 2/);
  });
});
