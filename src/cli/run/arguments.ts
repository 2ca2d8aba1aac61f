import { InvalidArgumentError } from 'commander';

import { tr } from '../language.ts';

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** A number of seconds, whole or not. */
export function secondsArgument(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds <= 0)
    throw new InvalidArgumentError(tr('Expected a number of seconds.', '应为秒数。'));
  return seconds;
}

/** Makes what reads a whole number between two others. */
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
