import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { writeScript } from '../../test/support/scripts.ts';
import { Catalogue } from '../scripts/catalogue.ts';
import type { AgentChoice } from './choices.ts';
import { Offers } from './offers.ts';

/** The offers of one script of the user, whose manifest the test can change. */
async function setUp() {
  const folder = await tempFolder();
  await writeScript(folder, 'clean', { tables: '[service.mcp]\nread_only = false\n' });
  const catalogue = new Catalogue([folder]);
  await catalogue.load();
  const stored: AgentChoice[] = [];
  const offers = new Offers({
    catalogue,
    slugs: { update: async () => {}, of: () => 'clean' },
    store: { all: () => [], put: (choice) => stored.push(choice) },
    packages: 'chosen',
  });
  const [asked] = await offers.all();
  if (asked === undefined) throw new Error('there is no script');
  const { manifestPath } = asked.script;
  return {
    offers,
    asked,
    stored,
    scriptFolder: join(folder, 'clean'),
    refresh: () => catalogue.refresh([manifestPath]),
    rewrite: async (from: string, to: string) => {
      await writeFile(manifestPath, (await readFile(manifestPath, 'utf8')).replace(from, to));
      await catalogue.refresh([manifestPath]);
    },
  };
}

it('a script that was only read again is still current', async () => {
  const { offers, asked, refresh } = await setUp();
  await refresh();
  expect(offers.isCurrent(asked)).toBe(true);
});

it.each([
  ['whose manifest changed', 'read_only = false', 'read_only = true'],
  ['that its manifest withholds', 'read_only = false', 'enabled = false'],
  ['whose manifest is invalid', '[service.mcp]', '[service.mcp'],
])('a script %s is no longer current', async (_what, from, to) => {
  const { offers, asked, rewrite } = await setUp();
  await rewrite(from, to);
  expect(offers.isCurrent(asked)).toBe(false);
});

it('a script that the user withholds, or that was removed, is no longer current', async () => {
  const { offers, asked, scriptFolder, refresh } = await setUp();
  const { id } = asked.script;
  offers.choose({ scriptId: id, isOffered: false, isAsked: null });
  expect(offers.isCurrent(asked)).toBe(false);
  offers.choose({ scriptId: id, isOffered: null, isAsked: true });
  expect(offers.isCurrent(asked)).toBe(true);
  await rm(scriptFolder, { recursive: true });
  await refresh();
  expect(offers.isCurrent(asked)).toBe(false);
});

it('forgets the choices for an uninstalled script', async () => {
  const { offers, asked, stored } = await setUp();
  const { id } = asked.script;
  offers.choose({ scriptId: id, isOffered: true, isAsked: false });
  offers.forget(id);
  const none = { scriptId: id, isOffered: null, isAsked: null };
  expect(offers.choiceOf(id)).toEqual(none);
  expect(stored.at(-1)).toEqual(none);
  // There is nothing to forget about a script without choices.
  offers.forget('another');
  expect(stored).toHaveLength(2);
});
