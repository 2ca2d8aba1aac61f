import type { SeededRandom } from '../random.ts';
import { fetchSiteTwists, hostTwists, originTwists } from './caller-twists.ts';
import type { House } from './door-oracle.ts';
import type { Draft } from './draft-request.ts';
import { framingTwists } from './framing-twists.ts';
import { otherTwists } from './header-twists.ts';
import { methodTwists, targetTwists, versionTwists } from './line-twists.ts';

/** A list has the same probability however many twists are in it. A list that occurs twice is twice as likely. */
const kinds = [
  ...[methodTwists, targetTwists, versionTwists, framingTwists],
  ...[hostTwists, hostTwists, originTwists, originTwists],
  ...[fetchSiteTwists, fetchSiteTwists, otherTwists, otherTwists],
];

export function twist(draft: Draft, random: SeededRandom, house: House): void {
  random.pick(random.pick(kinds))(draft, random, house);
}
