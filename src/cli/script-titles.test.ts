import { expect, it } from 'vitest';

import { scriptTitles } from './script-titles.ts';
import { widthOf } from './terminal/text.ts';
import { UserError } from './user-error.ts';

const ids = ['6e0a3c52-0000-4000-8000-000000000001', '7f1b4d63-0000-4000-8000-000000000002'];

function listOf(name: string) {
  return ids.map((id) => ({ script_id: id, script_name: name }));
}

async function titlesOf(name: string, slugs: readonly string[]): Promise<string[]> {
  const listed = listOf(name);
  const scripts = slugs.map((slug, index) => ({ id: ids[index], slug }));
  const titleOf = await scriptTitles({ get: async () => Object({ scripts }) }, listed);
  return listed.map(titleOf);
}

it('adds the slug to names that repeat', async () => {
  expect(await titlesOf('Backup', ['backup', 'backup-2'])).toEqual(['Backup (backup)', 'Backup (backup-2)']);
});

it('adds the short id if the slug makes the title too wide for its column', async () => {
  const slug = 'export-every-invoice-of-the-last-quarter-as-pdf';
  const titles = await titlesOf('Export every invoice of the last quarter', [slug, `${slug}-2`]);
  expect(titles).toEqual(['Export every i... (6e0a3c52)', 'Export every i... (7f1b4d63)']);
  expect(titles.map(widthOf)).toEqual([28, 28]);
});

it('adds the short id if the slugs cannot be read', async () => {
  const listed = listOf('Backup');
  const get = () => Promise.reject(new UserError('No response from Hob'));
  expect(listed.map(await scriptTitles({ get }, listed))).toEqual(['Backup (6e0a3c52)', 'Backup (7f1b4d63)']);
});
