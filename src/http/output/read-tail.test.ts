import { describe, expect, it } from 'vitest';

import { queuedRun, runEnding } from '../../../test/support/run-records.ts';
import type { OutputPiece, OutputView } from '../../runs/output/run-outputs.ts';
import { readTail, toPlainText } from './read-tail.ts';

const run = { ...queuedRun(), ...runEnding() };
const { signal } = new AbortController();

/** Outputs that hold these bytes, but for those of a gap. */
function outputsOf(bytes: Buffer, gap: { from: number; to: number } = { from: 0, to: 0 }) {
  const view: OutputView = {
    endBytes: bytes.length,
    isLive: false,
    segments: [
      { offset: 0, length: gap.from, position: 0 },
      { offset: gap.to, length: bytes.length - gap.to, position: gap.from },
    ].filter(({ length }) => length > 0),
  };
  return {
    look: async () => view,
    async *read({ from, until }: { from: number; until: number }): AsyncGenerator<OutputPiece> {
      const middle = Math.ceil((from + until) / 2);
      yield { offset: from, bytes: bytes.subarray(from, middle) };
      yield { offset: middle, bytes: bytes.subarray(middle, until) };
    },
  };
}

describe('the end of an output', () => {
  it('is all of it when that is little', async () => {
    const tail = await readTail(outputsOf(Buffer.from('one\n两\n')), run, 'stdout', signal);
    expect(tail).toEqual({ text: 'one\n两', bytes: 8, isCut: false });
    const none = await readTail(outputsOf(Buffer.alloc(0)), run, 'stderr', signal);
    expect(none).toEqual({ text: '', bytes: 0, isCut: false });
  });

  it('is the last 200 lines, and says that there were more', async () => {
    const lines = Array.from({ length: 500 }, (_, number) => `line ${number}`);
    const tail = await readTail(outputsOf(Buffer.from(`${lines.join('\n')}\n`)), run, 'stdout', signal);
    expect(tail.text.split('\n')).toEqual(lines.slice(-200));
    expect(tail.isCut).toBe(true);
  });

  it('is 64 KiB at most, and begins with a whole character', async () => {
    const { text, isCut } = await readTail(
      outputsOf(Buffer.from('好'.repeat(50_000))),
      run,
      'stdout',
      signal,
    );
    expect(text).toBe('好'.repeat(Math.floor(65_536 / 3)));
    expect(isCut).toBe(true);
  });

  it('begins behind what was not kept', async () => {
    const outputs = outputsOf(Buffer.from('head....tail'), { from: 4, to: 8 });
    expect(await readTail(outputs, run, 'stdout', signal)).toEqual({ text: 'tail', bytes: 12, isCut: true });
  });
});

it.each([
  ['plain\ttext\n', 'plain\ttext\n'],
  ['\u001b[1;31mred\u001b[0m and \u001b]0;title\u0007more', 'red and more'],
  ['\u001b]0;never closed\nthe error', '\nthe error'],
  ['10%\r50%\r100%\ndone\r\n', '100%\ndone\n'],
  ['a\0b\u0007c\u0085', 'abc'],
  ['bar |####|\r', 'bar |####|'],
  ['\r', ''],
  ['a\r\r\nb', 'a\nb'],
])('of %j people see %j', (written, seen) => {
  expect(toPlainText(written)).toBe(seen);
});

it.each(['x', '\r', '\u001b', '\u001b[', '\u001b]', '\u001b[0'])('64 KiB of %j hold nobody up', (piece) => {
  const began = performance.now();
  toPlainText(piece.repeat(65_536 / piece.length));
  expect(performance.now() - began).toBeLessThan(200);
});
