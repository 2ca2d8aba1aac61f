import type { JsonObject } from '../../shared/json.ts';

/** Prints indented JSON to stdout. */
export function printJson(answer: JsonObject): void {
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
}
