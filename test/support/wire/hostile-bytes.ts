import type { SeededRandom } from '../random.ts';
import type { House } from './door-oracle.ts';
import { draftRequest, writeDown } from './draft-request.ts';
import { twist } from './twists.ts';

/** The bytes of one connection: one or more requests, most of them with a defect. */
export function hostileBytes(random: SeededRandom, house: House): Buffer {
  const requests = random.next() < 0.15 ? random.between(2, 3) : 1;
  const parts: Buffer[] = [];
  for (let request = 1; request <= requests; request++) {
    const draft = draftRequest(random, house);
    // Mostly the last request has a defect, because one after a valid request is the most likely to slip through.
    const isLast = request === requests;
    const twists = isLast || random.next() < 0.2 ? random.pick([0, 1, 1, 1, 1, 2, 2, 3]) : 0;
    for (let count = 0; count < twists; count++) twist(draft, random, house);
    parts.push(writeDown(draft));
  }
  const bytes = Buffer.concat(parts);
  const chance = random.next();
  if (chance < 0.05) return bytes.subarray(0, random.between(0, bytes.length));
  if (chance < 0.1) return damaged(bytes, random);
  return bytes;
}

/** The bytes with a few of them changed, inserted or removed. */
function damaged(bytes: Buffer, random: SeededRandom): Buffer {
  let text = bytes.toString('latin1');
  for (let count = random.between(1, 3); count > 0; count--) {
    const at = random.between(0, text.length);
    const put = random.pick(['', String.fromCharCode(random.between(0, 255)), '\r\n', '\n', ' ', ':']);
    text = text.slice(0, at) + put + text.slice(at + random.between(0, 1));
  }
  return Buffer.from(text, 'latin1');
}
