import { expect, it } from 'vitest';

import { OutputLines } from './output-lines.ts';
import { OutputSearch, soughtPattern } from './output-search.ts';

function blocksOf(text: string) {
  const output = new OutputLines({ blockLines: 2 });
  output.take('stdout', text);
  output.take('stderr', 'Error: x\n');
  const { closed, open } = output.snapshot();
  return [...closed, open];
}

function find(query: string, choice: 'all' | 'stdout' | 'stderr' = 'all') {
  const blocks = blocksOf('an error\nnothing\nERROR\nError (again)\n结果 1\n');
  const pattern = soughtPattern(query);
  if (pattern === null) throw new Error('the query is empty');
  const search = new OutputSearch(pattern, choice);
  expect(search.look(blocks, () => false)).toBe(true);
  return Array.from({ length: search.count(blocks) }, (_, index) => {
    const found = search.at(blocks, index);
    if (found === null) throw new Error(`there is no ${index}`);
    expect(search.indexOf(blocks, found)).toBe(index);
    return [found.blockKey, found.line];
  });
}

it('finds lines in display order, ignoring case', () => {
  expect(find('error')).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 1],
  ]);
  expect(find('结果')).toEqual([[2, 0]]);
  expect(find('error', 'stderr')).toEqual([[2, 0]]);
  expect(find('(again)')).toEqual([[1, 1]]);
  expect(find('.*')).toEqual([]);
});

it('stops when its time is over, and resumes later', () => {
  const blocks = blocksOf('a\na\na\na\na\n');
  const search = new OutputSearch(/a/iu, 'all');
  let looks = 0;
  const once = () => {
    looks += 1;
    return looks > 1;
  };
  expect(search.look(blocks, once)).toBe(false);
  expect(search.count(blocks)).toBe(2);
  expect(search.at(blocks, 2)).toBeNull();
  expect(search.indexOf(blocks, { blockKey: 9, line: 0 })).toBe(-1);
  expect(search.look(blocks, () => false)).toBe(true);
  expect(search.count(blocks)).toBe(5);
});
