import { describe, expect, it } from 'vitest';

import { HobError } from '../api/hob.ts';
import { SizeReport, type TerminalSize, type TypedPiece, TypingQueue } from './terminal-input.ts';

const unreachable = new HobError('no response', { code: 'unreachable' });
const refusal = (status: number, code: string | null = null) => new HobError('no', { code, status });

/** A queue whose requests the test answers or fails. */
function openQueue() {
  const sent: TypedPiece[] = [];
  const pauses: number[] = [];
  const refusals: unknown[] = [];
  const ends: string[] = [];
  let answer = (_error?: Error): void => {};
  let noteSent = (): void => {};
  const queue = new TypingQueue({
    send: (piece) => {
      sent.push(piece);
      noteSent();
      return new Promise((resolve, reject) => {
        answer = (error) => (error === undefined ? resolve(undefined) : reject(error));
      });
    },
    pause: async (ms) => void pauses.push(ms),
    onRefused: (error) => void refusals.push(error),
    onOver: () => void ends.push('over'),
  });
  /** Answers the last request and waits for the next one. */
  const answerAndAwait = async (error?: Error) => {
    const next = new Promise<void>((resolve) => {
      noteSent = resolve;
    });
    answer(error);
    await next;
  };
  const texts = () => sent.map(({ text }) => text);
  return {
    queue,
    sent,
    texts,
    pauses,
    refusals,
    ends,
    answer: (error?: Error) => answer(error),
    answerAndAwait,
  };
}

describe('TypingQueue', () => {
  it('sends one piece at a time, and joins the text typed meanwhile', async () => {
    const { queue, sent, texts, answerAndAwait } = openQueue();
    for (const key of 'hello') queue.type(key);
    expect(texts()).toEqual(['h']);
    await answerAndAwait();
    expect(sent).toEqual([
      { text: 'h', number: 1 },
      { text: 'ello', number: 2 },
    ]);
  });

  it('resends an unanswered piece with the same number before later pieces', async () => {
    const { queue, sent, pauses, answerAndAwait } = openQueue();
    queue.type('a');
    queue.type('b');
    await answerAndAwait(unreachable);
    await answerAndAwait(refusal(503));
    await answerAndAwait();
    expect(sent.map(({ text, number }) => `${text}${number}`)).toEqual(['a1', 'a1', 'a1', 'b2']);
    expect(pauses).toEqual([200, 400]);
  });

  it.each(['run-ended', 'run-without-terminal', 'run-unknown'])('stops for good at %s', async (code) => {
    const { queue, texts, refusals, ends, answer } = openQueue();
    queue.type('a');
    answer(refusal(409, code));
    await expect.poll(() => ends).toEqual(['over']);
    queue.type('b');
    expect(texts()).toEqual(['a']);
    expect(refusals).toEqual([]);
  });

  it('reports a failure of the service once, and retries', async () => {
    const { queue, sent, refusals, ends, answerAndAwait } = openQueue();
    const failure = refusal(500, 'internal');
    queue.type('a');
    await answerAndAwait(failure);
    queue.type('b');
    await answerAndAwait(refusal(401, 'door-token'));
    await answerAndAwait();
    expect(sent.map(({ text, number }) => `${text}${number}`)).toEqual(['a1', 'a1', 'a1', 'b2']);
    expect([refusals, ends]).toEqual([[failure], []]);
  });

  it('reports a refused piece, and continues with the next', async () => {
    const { queue, texts, refusals, ends, answerAndAwait } = openQueue();
    const refused = refusal(400, 'field-invalid');
    queue.type('a');
    queue.type('b');
    await answerAndAwait(refused);
    expect(texts()).toEqual(['a', 'b']);
    expect([refusals, ends]).toEqual([[refused], []]);
  });

  it('sends answers of the terminal and typed text separately, in order', async () => {
    const { queue, sent, answerAndAwait } = openQueue();
    queue.type('a');
    queue.answer('[1;1R', 10);
    queue.type('b');
    queue.type('c');
    for (let count = 0; count < 2; count++) await answerAndAwait();
    expect(sent).toEqual([
      { text: 'a', number: 1 },
      { text: '[1;1R', number: 2, answers: 10 },
      { text: 'bc', number: 3 },
    ]);
  });

  it('splits long text, but not within a character', async () => {
    const { queue, texts, answerAndAwait } = openQueue();
    const long = `${'a'.repeat(16_383)}😀${'b'.repeat(10)}`;
    queue.type(long);
    await answerAndAwait();
    expect(texts()).toEqual(['a'.repeat(16_383), `😀${'b'.repeat(10)}`]);
  });
});

const sizeOf = (columns: number): TerminalSize => ({ columns, rows: 24 });

function openReport(errors: (Error | null)[]) {
  const sent: number[] = [];
  const report = new SizeReport({
    send: async ({ columns }) => {
      sent.push(columns);
      const error = errors.shift() ?? null;
      if (error !== null) throw error;
    },
    pause: async () => {},
  });
  return { report, sent };
}

describe('SizeReport', () => {
  it('sends the latest size, and skips sizes in between', async () => {
    const { report, sent } = openReport([]);
    for (const columns of [80, 81, 82, 100]) report.report(sizeOf(columns));
    await expect.poll(() => sent).toEqual([80, 100]);
  });

  it('retries with the latest size while the service is unreachable', async () => {
    const { report, sent } = openReport([unreachable, null]);
    report.report(sizeOf(80));
    report.report(sizeOf(90));
    await expect.poll(() => sent).toEqual([80, 90]);
  });

  it('gives up if the service refuses', async () => {
    const { report, sent } = openReport([refusal(409)]);
    report.report(sizeOf(80));
    await expect.poll(() => sent).toEqual([80]);
  });
});
