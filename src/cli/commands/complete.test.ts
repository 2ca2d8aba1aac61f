import { Command } from 'commander';
import { describe, expect, it } from 'vitest';

import { findPlace } from './complete.ts';

const program = new Command('tool');
program
  .command('copy')
  .argument('<source>')
  .argument('<targets...>')
  .option('-m, --mode <mode>')
  .option('--only <glob...>')
  .option('--force');
program.command('list').alias('ls');

/** Describes a place in a few words. */
function placeAfter(...before: string[]): string {
  const place = findPlace(program, before);
  if (place.kind === 'value') return `value of ${place.option.long}`;
  return `${place.command.name()}: ${place.argument?.name() ?? 'nothing'}${place.mayBeOption ? '' : ', no option'}`;
}

describe('the role of the word at the cursor', () => {
  it.each([
    [[], 'tool: nothing'],
    [['copy'], 'copy: source'],
    [['copy', 'a'], 'copy: targets'],
    [['copy', 'a', 'b', 'c'], 'copy: targets'],
    [['copy', '--force'], 'copy: source'],
    [['copy', '-m'], 'value of --mode'],
    [['copy', '--mode', 'x'], 'copy: source'],
    [['copy', '--only', 'x', 'y'], 'value of --only'],
    [['copy', '--only', 'x', '--force'], 'copy: source'],
    [['copy', '--', '--mode'], 'copy: targets, no option'],
    [['ls'], 'list: nothing'],
  ])('after %j is %s', (before, expected) => {
    expect(placeAfter(...before)).toBe(expected);
  });
});
