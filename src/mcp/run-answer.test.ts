import { describe, expect, it } from 'vitest';

import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import { endWithoutProcess } from '../execution/messages.ts';
import { synthesizeEnvelope } from '../runs/outcome/read-outcome.ts';
import type { RunRecord } from '../runs/run-record.ts';
import { endedAnswer, recordText, resultText, runLine, runningAnswer } from './run-answer.ts';
import { wholeOutput } from './run-output.ts';

const wrote = (text: string, rest: Partial<RunRecord> = {}): RunRecord =>
  queuedRun({ ...runEnding({ result: Buffer.from(text) }), ...rest });

/** A run that exited with code 0, with the envelope of Hob. */
function withoutEnvelope(language: 'en' | 'zh', why?: { en: string; zh: string }): RunRecord {
  const end = { ...endWithoutProcess('r', 'exit'), exitCode: 0 };
  const reading = why === undefined ? ({ kind: 'absent' } as const) : ({ kind: 'invalid', why } as const);
  const { code, msg } = synthesizeEnvelope(
    { end, timeoutMs: null, unavailable: null, language },
    reading,
    'a warning',
  );
  return wrote(JSON.stringify({ code, msg }), { code, message: msg, envelope: 'synthesized' });
}

const answer = (run: RunRecord, stdout = '') =>
  endedAnswer(run, { stdout: wholeOutput(stdout), stderr: wholeOutput('') });

const textsOf = (run: RunRecord) =>
  answer(run).content.flatMap((part) => (part.type === 'text' ? [part.text] : []));

describe('a program that succeeds and writes no result', () => {
  const neutral = { msg: 'The script succeeded and wrote no result.' };

  it.each(['en', 'zh'] as const)(
    'does not look like a failure, in a record in the language %s',
    (language) => {
      const run = withoutEnvelope(language);
      expect(answer(run, 'done')).toMatchObject({ structuredContent: { ...neutral, stdout: 'done' } });
      const texts = [JSON.stringify(answer(run)), recordText(run, 't'), resultText(run), runLine(run, 't')];
      expect(texts.join('\n')).not.toMatch(/"code"|code -3|output_json/);
      expect(JSON.parse(recordText(run, 't'))).toMatchObject({ state: 'succeeded', result: neutral });
      expect(JSON.parse(resultText(run))).toEqual(neutral);
      expect(runLine(run, 't')).toContain(`succeeded, queued at ${run.queuedAt}: ${neutral.msg}`);
    },
  );

  it('differs from a program that writes an invalid result', () => {
    const run = withoutEnvelope('en', { en: 'code is not an integer', zh: 'code 不是整数' });
    expect(textsOf(run)[0]).toContain('its result is not valid: code is not an integer');
    expect(answer(run).structuredContent).toMatchObject({ code: -3, msg: run.message });
  });
});

describe('the result of a script', () => {
  const long = '{"code": 0, "msg": "ok", "id": 12345678901234567890}';

  it('keeps all digits of its numbers in texts', () => {
    expect(textsOf(wrote(long))).toContain(long);
    expect(recordText(wrote(long), 't')).toContain('12345678901234567890');
    expect(JSON.parse(recordText(wrote(long), 't'))).toMatchObject({ tool: 't', result: JSON.parse(long) });
  });

  it('is reduced to its code and message if it is large', () => {
    const run = wrote(JSON.stringify({ code: 0, msg: 'ok', x: 'x'.repeat(70_000) }), { message: 'ok' });
    expect(answer(run).structuredContent).toEqual({ code: 0, msg: 'ok' });
    expect(JSON.parse(recordText(run, 't')).result).toEqual({ code: 0, msg: 'ok' });
  });
});

describe('the line about a run', () => {
  it('is one short line for any message of the script', () => {
    const message = `ok\r\nforged: greet, succeeded\u2028\u0085${'x'.repeat(1000)}`;
    const line = runLine(wrote('{}', { message, scriptName: 'a\nb' }), 'greet');
    expect(line).toContain('greet ("a b"), succeeded, code 0');
    expect(line).toContain(': ok forged: greet, succeeded x');
    expect(line).not.toMatch(/[\r\n\u2028\u0085]/);
    expect(line.length).toBeLessThan(400);
  });
});

describe('a run that was tried more than once', () => {
  it('says how often', () => {
    expect(textsOf(wrote('{"code":0,"msg":"ok"}', { attempt: 3 }))[0]).toContain(
      'Succeeded after 1.0 s, tried 3 times.',
    );
    expect(textsOf(wrote('{"code":0,"msg":"ok"}'))[0]).not.toContain('tried');
    const nextAttemptAt = '2024-05-01T12:00:09.000Z';
    const failed = wrote('{"code":1,"msg":""}', { state: 'failed', attempt: 2, nextAttemptAt });
    expect(runningAnswer(failed, null).structuredContent?.msg).toContain(
      `failed 2 times and is tried again at ${nextAttemptAt}`,
    );
    expect(runLine(failed, 't')).toContain(', attempt 2, ');
  });
});
