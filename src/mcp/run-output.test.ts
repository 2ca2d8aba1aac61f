import { describe, expect, it } from 'vitest';

import { queuedRun } from '../../test/support/run-records.ts';
import { readOutput } from './run-output.ts';

type Outputs = Parameters<typeof readOutput>[0];

/** The output of a run, in memory. */
function outputsOf(written: Uint8Array, { isLive = false, missing = 0 } = {}): Outputs {
  return {
    extent: async () => ({ endBytes: written.length, isLive }),
    async *read({ from = 0, until }) {
      if (missing > 0) yield { offset: from, missing };
      yield { offset: from, bytes: written.subarray(from, until ?? undefined) };
    },
  };
}

const read = (outputs: Outputs, from: number | null, mostBytes: number) =>
  readOutput(outputs, queuedRun(), { stream: 'stdout', from, mostBytes });

describe('a part of the output', () => {
  const text = 'aé中😀';
  const whole = Buffer.from(text);

  it('is the end if no start is given', async () => {
    expect(await read(outputsOf(Buffer.from('0123456789')), null, 4)).toEqual({
      text: '6789',
      from: 6,
      to: 10,
      endBytes: 10,
      isLive: false,
    });
  });

  it.each([4, 5, 6, 7, 8])('splits no character in parts of %i bytes', async (mostBytes) => {
    const parts: string[] = [];
    for (let from = 0; from < whole.length; ) {
      const part = await read(outputsOf(whole), from, mostBytes);
      expect(part.from).toBe(from);
      expect(part.to).toBeGreaterThan(from);
      parts.push(part.text);
      from = part.to;
    }
    expect(parts.join('')).toBe(text);
  });

  it.each([1, 2, 3])('begins with a whole character %i bytes into one', async (into) => {
    const start = whole.length - 4 + into;
    const part = await read(outputsOf(Buffer.concat([whole, Buffer.from('end')])), start, 100);
    expect(part).toMatchObject({ text: 'end', from: whole.length });
  });

  it('leaves the beginning of a character to the next part while the script writes', async () => {
    const cut = whole.subarray(0, -1);
    expect(await read(outputsOf(cut, { isLive: true }), 0, 100)).toMatchObject({
      text: 'aé中',
      to: whole.length - 4,
    });
    expect(await read(outputsOf(cut), 0, 100)).toMatchObject({ text: 'aé中\ufffd', to: cut.length });
  });

  it('names the bytes that were not kept', async () => {
    const { text: shown } = await read(outputsOf(Buffer.from('end'), { missing: 12 }), 0, 100);
    expect(shown).toBe('\n[12 bytes were not kept]\nend');
  });

  /** 你好，世界 in GB18030. */
  const foreign = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0xa3, 0xac, 0xca, 0xc0, 0xbd, 0xe7]);

  it('is decoded as GB18030 if it is not UTF-8', async () => {
    const line = Buffer.concat([Buffer.from('ok: '), foreign, Buffer.from('\n')]);
    expect((await read(outputsOf(line), null, 100)).text).toBe('ok: 你好，世界\n');
    expect((await read(outputsOf(line), 7, 100)).text).toBe('，世界\n');
    expect((await read(outputsOf(line), 4, 5)).text).toBe('你好');
    // One character behind ASCII.
    expect((await read(outputsOf(line.subarray(0, 6)), 0, 100)).text).toBe('ok: 你');
    const broken = outputsOf(Buffer.concat([line, Buffer.from([0xff, 0x0a])]));
    expect((await read(broken, 0, 100)).text).toContain('\ufffd');
  });

  it('is decoded on both sides of missing bytes', async () => {
    const { text: shown } = await read(outputsOf(foreign, { missing: 12 }), 0, 100);
    expect(shown).toBe('\n[12 bytes were not kept]\n你好，世界');
  });

  it.each([4, 5, 6, 7])('splits no character of GB18030 in parts of %i bytes', async (mostBytes) => {
    const parts: string[] = [];
    for (let from = 0; from < foreign.length; ) {
      const part = await read(outputsOf(foreign), from, mostBytes);
      expect(part.from).toBe(from);
      expect(part.to).toBeGreaterThan(from);
      parts.push(part.text);
      from = part.to;
    }
    expect(parts.join('')).toBe('你好，世界');
  });

  it('is empty behind the end', async () => {
    expect(await read(outputsOf(whole), 1000, 100)).toMatchObject({ text: '', from: 10, to: 10 });
  });
});
