import type { SeededRandom } from '../random.ts';
import type { House } from './door-oracle.ts';
import type { Draft } from './draft-request.ts';

/** Changes one thing in a request. */
export type Twist = (draft: Draft, random: SeededRandom, house: House) => void;

export const isNamed = (line: string, name: string) =>
  line.toLowerCase().startsWith(`${name.toLowerCase()}:`);

export function without(draft: Draft, name: string): void {
  draft.headers = draft.headers.filter((line) => !isNamed(line, name));
}

export function add(draft: Draft, random: SeededRandom, ...lines: string[]): void {
  for (const line of lines) draft.headers.splice(random.between(0, draft.headers.length), 0, line);
}

export function oddCase(text: string, random: SeededRandom): string {
  return text.replace(/[a-z]/gi, (letter) =>
    random.next() < 0.5 ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

export function portOf(house: House): number {
  return Number(house.hosts[0]?.split(':').at(-1));
}
