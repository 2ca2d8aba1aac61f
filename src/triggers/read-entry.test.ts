import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import { isInScope } from './folder/scope.ts';
import { readEntry } from './read-entry.ts';

/** The names that a folder trigger takes. */
function taken(fields: { filters?: string[] }, exts: string[], names: string[]): string[] {
  const input = {
    name: 'files',
    label: 'Files',
    type: 'list',
    pick: 'files',
    exts,
    description: null,
  } as const;
  const script = someScript({ input });
  const { trigger } = readEntry(
    { id: 'inbox', script: script.id, kind: 'folder', path: '/in', ...fields },
    null,
    {
      findScript: () => ({ kind: 'found', script }),
      hasSecret: () => false,
      homePaths: [],
    },
  );
  if (trigger?.kind !== 'folder') throw new Error('the entry is not a folder trigger');
  return names.filter((name) => isInScope(`/in/${name}`, trigger));
}

describe('the filters of a folder trigger', () => {
  const names = ['a.mp4', 'b.MP4', 'c.txt', 'none'];

  it.each(['*', '*.*', ' * '])('take every file if they are "%s"', (filter) => {
    expect(taken({ filters: [filter] }, ['.mp4'], names)).toEqual(names);
    expect(taken({}, [filter], names)).toEqual(names);
  });

  it.each(['mp4', '.MP4', '*.mp4'])('are extensions in any usual form, such as %s', (filter) => {
    expect(taken({ filters: [filter] }, ['.txt'], names)).toEqual(['a.mp4', 'b.MP4']);
    expect(taken({}, [filter], names)).toEqual(['a.mp4', 'b.MP4']);
  });

  it('take every file if they are empty', () => {
    expect(taken({ filters: [] }, ['.mp4'], names)).toEqual(names);
    expect(taken({}, [], names)).toEqual(names);
  });
});
