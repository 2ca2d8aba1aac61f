import { InvalidArgumentError } from 'commander';

import { tr } from '../language.ts';

/** Parser for an option that can be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Parses a positive number of seconds; fractions are allowed. */
export function secondsArgument(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds <= 0)
    throw new InvalidArgumentError(tr('Expected a number of seconds.', '应为秒数。'));
  return seconds;
}

/** Makes a parser for an integer in a range. */
export function countArgument(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count < least || count > most)
      throw new InvalidArgumentError(
        tr(`Expected an integer from ${least} to ${most}.`, `应为 ${least} 到 ${most} 的整数。`),
      );
    return count;
  };
}
