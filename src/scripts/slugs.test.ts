import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import { openDatabase } from '../storage/database.ts';
import { SqliteSlugStore } from '../storage/sqlite-slug-store.ts';
import type { Script } from './script.ts';
import type { SlugStore } from './slug-store.ts';
import { Slugs } from './slugs.ts';

const idOf = (number: number) => `${number}`.padStart(8, '0').concat('-0000-4000-8000-000000000000');
const own = (number: number, name: string, wantedSlug: string | null = null): Script =>
  someScript({ id: idOf(number), name, wantedSlug, folder: `/scripts/${number}` });
const packaged = (number: number, name: string, wantedSlug: string | null = null): Script =>
  someScript({ id: idOf(number), name, wantedSlug, folder: `/packages/${number}` });

class SomeScripts {
  version = 0;
  current: Script[] = [];
  /** Scripts that the next look for new folders finds. */
  unnoticed: Script[] = [];

  scripts(): Script[] {
    return [...this.current];
  }

  has(id: string): boolean {
    return this.current.some((script) => script.id === id);
  }

  isPackaged(folder: string): boolean {
    return folder.startsWith('/packages/');
  }

  async lookForNew(): Promise<void> {
    if (this.unnoticed.length > 0) this.put(...this.current, ...this.unnoticed.splice(0));
  }

  put(...scripts: Script[]): void {
    this.current = scripts;
    this.version++;
  }
}

const pinyinOf: Readonly<Record<string, string>> = { 图片缩放: 'tu pian suo fang' };

function build(store: SlugStore = new SqliteSlugStore(openDatabase(':memory:'))) {
  const catalogue = new SomeScripts();
  const romanized: string[] = [];
  const log = pino({ enabled: false });
  const romanize = async (names: readonly string[]) => {
    romanized.push(...names);
    return names.map((name) => pinyinOf[name] ?? name);
  };
  const slugs = new Slugs({ catalogue, store, romanize, log });
  const slugsOf = async (...numbers: number[]) => {
    await slugs.update();
    return numbers.map((number) => slugs.of(idOf(number)));
  };
  return { catalogue, slugs, slugsOf, romanized, store };
}

describe('the slug of a script', () => {
  it('is the one in its manifest, else made from its name, else from its id', async () => {
    const { catalogue, slugsOf } = build();
    catalogue.put(own(1, 'Resize images', 'shrink'), own(2, 'Resize images'), own(3, '😀'));
    expect(await slugsOf(1, 2, 3)).toEqual(['shrink', 'resize-images', '00000003']);
  });

  it('is made from the pinyin of a Chinese name, which is looked up only once', async () => {
    const { catalogue, slugsOf, romanized } = build();
    catalogue.put(own(1, '图片缩放'), own(2, '图片缩放'), own(3, 'plain'), own(4, '备份', 'backup'));
    expect(await slugsOf(1, 2, 3, 4)).toEqual(['tu-pian-suo-fang', 'tu-pian-suo-fang-2', 'plain', 'backup']);
    catalogue.put(...catalogue.current, own(5, 'other'));
    await slugsOf(5);
    expect(new Set(romanized)).toEqual(new Set(['图片缩放']));
    expect(romanized.length).toBeLessThanOrEqual(2);
  });

  it('stays the same after a rename, a removal and a restart', async () => {
    const { catalogue, slugsOf, store } = build();
    catalogue.put(own(1, 'First'), own(2, 'First'));
    expect(await slugsOf(1, 2)).toEqual(['first', 'first-2']);
    catalogue.put(own(2, 'Renamed'));
    expect(await slugsOf(2)).toEqual(['first-2']);
    const restarted = build(store);
    restarted.catalogue.put(own(1, 'First'), own(2, 'Renamed'));
    expect(await restarted.slugsOf(1, 2)).toEqual(['first', 'first-2']);
  });

  it('goes to the declared slug before a name, and to a script of the user before a package', async () => {
    const { catalogue, slugsOf } = build();
    catalogue.put(packaged(1, 'x', 'tool'), own(2, 'Tool'), own(3, 'x', 'tool'));
    expect(await slugsOf(1, 2, 3)).toEqual(['tool-3', 'tool-2', 'tool']);
  });

  it('is taken from a package by a script of the user that comes later', async () => {
    const { catalogue, slugs, slugsOf } = build();
    catalogue.put(packaged(1, '图片缩放', 'tool'), packaged(2, 'Tool'));
    expect(await slugsOf(1, 2)).toEqual(['tool', 'tool-2']);
    catalogue.put(...catalogue.current, own(3, 'Tool'));
    expect(await slugsOf(1, 2, 3)).toEqual(['tool-3', 'tool-2', 'tool']);
    expect(await slugs.find('tool')).toBe(idOf(3));
  });

  it('of a removed script goes to the next script that wants it, but never to a package', async () => {
    const { catalogue, slugsOf } = build();
    catalogue.put(own(1, 'Tool'));
    await slugsOf(1);
    catalogue.put(packaged(2, 'Tool'));
    expect(await slugsOf(2)).toEqual(['tool-2']);
    catalogue.put(packaged(2, 'Tool'), own(3, 'Tool'));
    expect(await slugsOf(2, 3)).toEqual(['tool-2', 'tool']);
    catalogue.put(packaged(2, 'Tool'), own(3, 'Tool'), own(1, 'Tool'));
    expect(await slugsOf(1, 2, 3)).toEqual(['tool-3', 'tool-2', 'tool']);
  });

  it('changes with its manifest, and the old one works until another script takes it', async () => {
    const { catalogue, slugs, slugsOf } = build();
    catalogue.put(own(1, 'Tool'));
    expect(await slugsOf(1)).toEqual(['tool']);
    catalogue.put(own(1, 'Tool', 'new'));
    expect(await slugsOf(1)).toEqual(['new']);
    expect([await slugs.find('tool'), await slugs.find('NEW')]).toEqual([idOf(1), idOf(1)]);
    catalogue.put(own(1, 'Tool'));
    expect(await slugsOf(1)).toEqual(['new']);
    catalogue.put(own(1, 'Tool', 'new'), own(2, 'Tool'));
    expect(await slugsOf(1, 2)).toEqual(['new', 'tool']);
    expect(await slugs.find('tool')).toBe(idOf(2));
    catalogue.put(own(1, 'Tool', 'tool'), own(2, 'Tool'));
    expect(await slugsOf(1, 2)).toEqual(['tool-2', 'tool']);
  });

  it('can be exchanged between two manifests, one after the other', async () => {
    const { catalogue, slugsOf } = build();
    catalogue.put(own(1, 'x', 'a'), own(2, 'x', 'b'));
    await slugsOf(1, 2);
    catalogue.put(own(1, 'x', 'c'), own(2, 'x', 'b'));
    await slugsOf(1, 2);
    catalogue.put(own(1, 'x', 'c'), own(2, 'x', 'a'));
    await slugsOf(1, 2);
    catalogue.put(own(1, 'x', 'b'), own(2, 'x', 'a'));
    expect(await slugsOf(1, 2)).toEqual(['b', 'a']);
  });

  it('belongs to the user once an installed script was moved to the folders of the user', async () => {
    const { catalogue, slugsOf } = build();
    catalogue.put(packaged(1, 'Tool'));
    await slugsOf(1);
    catalogue.put(own(1, 'Renamed'), packaged(1, 'Tool'));
    expect(await slugsOf(1)).toEqual(['tool']);
    catalogue.put(own(1, 'Renamed'), own(2, 'Tool'));
    expect(await slugsOf(1, 2)).toEqual(['tool', 'tool-2']);
  });

  it('finds a script whose folder was not noticed yet', async () => {
    const { catalogue, slugs } = build();
    catalogue.unnoticed = [own(1, 'Late one')];
    expect(await slugs.find('late-one')).toBe(idOf(1));
    expect(await slugs.find('unknown')).toBeNull();
    expect(await slugs.find(idOf(7).toUpperCase())).toBe(idOf(7));
  });
});

describe('slugs that cannot be stored', () => {
  it('are assigned by a later update', async () => {
    const store = new SqliteSlugStore(openDatabase(':memory:'));
    let isFull = true;
    const { catalogue, slugsOf } = build({
      all: () => store.all(),
      put: (entries) => {
        if (isFull) throw new Error('disk full');
        store.put(entries);
      },
    });
    catalogue.put(own(1, 'Tool'));
    expect(await slugsOf(1)).toEqual(['00000001']);
    isFull = false;
    expect(await slugsOf(1)).toEqual(['tool']);
    expect(store.all()).toEqual([
      { slug: 'tool', scriptId: idOf(1), isCurrent: true, isOwn: true, declared: null },
    ]);
  });

  it('keep an existing script reachable by the slug that it has', async () => {
    const { catalogue, slugsOf, store } = build();
    catalogue.put(own(1, 'Tool'));
    await slugsOf(1);
    const after = build({
      all: () => store.all(),
      put: () => {
        throw new Error('disk full');
      },
    });
    after.catalogue.put(own(1, 'Tool', 'changed'));
    expect(await after.slugs.find('tool')).toBe(idOf(1));
    expect(await after.slugsOf(1)).toEqual(['tool']);
  });
});
