import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { PlainOutput } from './plain-output.ts';

/** Converts output as a terminal does. */
function onTerminal(bytes: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
}

describe('PlainOutput', () => {
  it('restores the output of the script for every split into chunks', () => {
    const byte = fc.oneof(fc.constantFrom(0x0d, 0x0a), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(
        fc.array(byte, { maxLength: 60 }),
        fc.array(fc.nat(8), { maxLength: 40 }),
        (written, cuts) => {
          const bytes = onTerminal(Uint8Array.from(written));
          const plain = new PlainOutput();
          const pieces: Buffer[] = [];
          let done = 0;
          for (const length of [...cuts, bytes.length]) {
            pieces.push(plain.take(bytes.subarray(done, done + length)));
            done += length;
          }
          pieces.push(plain.end());
          expect([...Buffer.concat(pieces)]).toEqual(written);
        },
      ),
    );
  });

  it('keeps a bare line feed as an IND command if the log is replayed', () => {
    const plain = new PlainOutput({ isReplayed: true });
    const pieces = ['end\r', '\ndown\n\n', '\r\r\n', 'x\r', 'y'].map((piece) =>
      plain.take(Buffer.from(piece)),
    );
    expect(Buffer.concat([...pieces, plain.end()]).toString()).toBe('end\ndown\x1bD\x1bD\r\nx\ry');
  });

  it('keeps a single carriage return at the end', () => {
    const plain = new PlainOutput();
    expect(plain.take(Buffer.from('50 %\r')).toString()).toBe('50 %');
    expect(plain.end().toString()).toBe('\r');
    expect(plain.end().toString()).toBe('');
  });
});
