import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import type { StreamCapture } from '../../execution/messages.ts';
import { readLastLines, readOutput as readLiteral, unreadOutput } from './read-outcome.ts';

const whole = (bytes: Uint8Array): StreamCapture => ({
  bytes: bytes.length,
  headBytes: bytes.length,
  tailBytes: 0,
});

async function log(content: string | Uint8Array): Promise<string> {
  const path = join(await tempFolder(), 'stdout.log');
  await writeFile(path, content);
  return path;
}

async function readOutput(path: string, capture: StreamCapture, maxBytes: number): Promise<string> {
  return JSON.parse(String(Buffer.from(await readLiteral(path, capture, maxBytes))));
}

/** The parts of an answer with an omission, and its size. */
function parts(answer: string): { head: string; missing: number; tail: string } {
  const match = /^(.*)\n\[\.\.\. (\d+) bytes left out by Hob \.\.\.\][^\n]*\n(.*)$/s.exec(answer);
  if (match === null) throw new Error(`no mark in ${JSON.stringify(answer)}`);
  const [, head = '', missing = '', tail = ''] = match;
  return { head, missing: Number(missing), tail };
}

/** 你好 in GBK. */
const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);

describe('the output in an answer', () => {
  it('is empty when the script wrote nothing', async () => {
    const path = join(await tempFolder(), 'none.log');
    expect(await readOutput(path, { bytes: 0, headBytes: 0, tailBytes: 0 }, 100)).toBe('');
  });

  it('is complete if it fits', async () => {
    const bytes = Buffer.from('第一行\nsecond\n');
    for (const max of [bytes.length, bytes.length + 1, 1000])
      expect(await readOutput(await log(bytes), whole(bytes), max)).toBe('第一行\nsecond\n');
  });

  it('is the beginning and the end if it does not fit, with the number of bytes between them', async () => {
    const bytes = Buffer.from('0123456789');
    const path = await log(bytes);
    expect(await readOutput(path, whole(bytes), 9)).toBe(
      `01234\n[... 1 bytes left out by Hob ...] The full output is in ${path}\n6789`,
    );
    expect(await readOutput(path, whole(bytes), 4)).toBe(
      `01\n[... 6 bytes left out by Hob ...] The full output is in ${path}\n89`,
    );
  });

  it('counts the bytes that the log itself lacks', async () => {
    const path = await log('HEADTAIL');
    const capture = { bytes: 1_000_000, headBytes: 4, tailBytes: 4 };
    expect(parts(await readOutput(path, capture, 100))).toEqual({
      head: 'HEAD',
      missing: 999_992,
      tail: 'TAIL',
    });
    expect(parts(await readOutput(path, capture, 4))).toEqual({ head: 'HE', missing: 999_996, tail: 'IL' });
    expect(await readOutput(path, capture, 4)).toContain(`...] The kept part is in ${path}\n`);
  });

  it('does not present the last kept bytes as the end if the disk was full', async () => {
    const path = await log('BEGINNING');
    const capture = { bytes: 500, headBytes: 9, tailBytes: 0 };
    expect(parts(await readOutput(path, capture, 100))).toEqual({
      head: 'BEGINNING',
      missing: 491,
      tail: '',
    });
    expect(parts(await readOutput(path, capture, 4))).toMatchObject({ tail: '' });
  });

  it('is the text that came with the end, if that is complete, without opening the log', async () => {
    const capture = { bytes: 7, headBytes: 7, tailBytes: 0, text: '"好"\n\t' };
    expect(await readOutput('/nowhere', capture, 7)).toBe(capture.text);
    expect(await readOutput('/nowhere', capture, 6)).toContain('7 bytes left out');
  });

  it('is marked as missing if the log was removed', async () => {
    const path = join(await tempFolder(), 'gone.log');
    const answer = await readOutput(path, { bytes: 10, headBytes: 10, tailBytes: 0 }, 100);
    expect(parts(answer)).toEqual({ head: '', missing: 10, tail: '' });
    expect(answer).not.toContain(path);
  });

  it('is only a mark if it could not be read', () => {
    const read = (capture: StreamCapture) => JSON.parse(String(Buffer.from(unreadOutput('/log', capture))));
    expect(read({ bytes: 0, headBytes: 0, tailBytes: 0 })).toBe('');
    expect(read({ bytes: 9, headBytes: 9, tailBytes: 0 })).toBe(
      '\n[... 9 bytes left out by Hob ...] The full output is in /log\n',
    );
  });

  it('is cut between characters, and counts to the byte, at any limit', async () => {
    const text = 'a好é😀'.repeat(20);
    const bytes = Buffer.from(text);
    const path = await log(bytes);
    for (let max = 2; max < bytes.length; max++) {
      const { head, missing, tail } = parts(await readOutput(path, whole(bytes), max));
      expect(text.startsWith(head)).toBe(true);
      expect(text.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head) + missing + Buffer.byteLength(tail)).toBe(bytes.length);
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(max);
      expect(max - Buffer.byteLength(head) - Buffer.byteLength(tail)).toBeLessThanOrEqual(6);
    }
  });

  it('is decoded as GB18030 if the script wrote that, also where it is cut', async () => {
    const bytes = Buffer.concat(Array(10).fill(gbk));
    expect(await readOutput(await log(bytes), whole(bytes), 1000)).toBe('你好'.repeat(10));
    for (const max of [8, 9, 10, 11, 12]) {
      const { head } = parts(await readOutput(await log(bytes), whole(bytes), max));
      expect('你好'.repeat(10).startsWith(head)).toBe(true);
      expect(head.length).toBeGreaterThan(1);
    }
  });

  it('is read without an error for any bytes', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'stdout.log');
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 100 }),
        fc.integer({ min: 1, max: 100 }),
        async (bytes, max) => {
          await writeFile(path, bytes);
          const answer = await readOutput(path, whole(bytes), max);
          if (bytes.length > max) expect(parts(answer).missing).toBeGreaterThanOrEqual(bytes.length - max);
          else expect(answer).not.toContain('left out');
        },
      ),
    );
  });
});

describe('the last lines of a stream', () => {
  it('are all lines, up to ten', async () => {
    const bytes = Buffer.from('one\r\ntwo\nthree\n\n');
    expect(await readLastLines(await log(bytes), whole(bytes))).toBe('one\ntwo\nthree');
    const many = Buffer.from(Array.from({ length: 25 }, (_, index) => `line ${index}`).join('\n'));
    expect((await readLastLines(await log(many), whole(many))).split('\n')).toEqual(
      Array.from({ length: 10 }, (_, index) => `line ${index + 15}`),
    );
  });

  it('are empty if there is no output', async () => {
    const path = join(await tempFolder(), 'none.log');
    expect(await readLastLines(path, { bytes: 0, headBytes: 0, tailBytes: 0 })).toBe('');
  });

  it('come from the end of a log without its middle', async () => {
    const capture = { bytes: 10_000, headBytes: 6, tailBytes: 6 };
    expect((await readLastLines(await log('start\nfinal\n'), capture)).endsWith('final')).toBe(true);
  });

  it('are limited to a few kilobytes, and begin with a whole character', async () => {
    const bytes = Buffer.from(`${'好'.repeat(5000)}x`);
    const text = await readLastLines(await log(bytes), whole(bytes));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    expect(text).toMatch(/^好+x$/);
  });

  it('are decoded as GBK, even if they are a single word', async () => {
    expect(
      await readLastLines(await log(Buffer.concat([gbk, Buffer.from('\n')])), whole(Buffer.alloc(5))),
    ).toBe('你好');
    expect(await readLastLines(await log(gbk.subarray(0, 2)), whole(gbk.subarray(0, 2)))).toBe('你');
  });
});
