import type { JsonObject } from '../../shared/json.ts';

/** For programs, and for people who like it that way. */
export function printJson(answer: JsonObject): void {
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
}
