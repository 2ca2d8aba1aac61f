import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { expect, it } from 'vitest';

import { projectRoot } from '../support/hob.ts';

const outside = [
  'README.md',
  'README.zh-CN.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'examples/README.md',
  'sdk/node/hob/README.md',
  'sdk/python/README.md',
];

async function documentation(): Promise<string[]> {
  const names = await readdir(join(projectRoot, 'docs'));
  return names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
}

function textOf(page: string): Promise<string> {
  return readFile(join(projectRoot, page), 'utf8');
}

/** The targets of all links of a page that stay inside the repository. */
function linksIn(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));
}

/** The ids that GitHub gives to the headings of a page. */
function anchorsIn(text: string): Set<string> {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  return new Set(
    [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .replace(/&[lg]t;/g, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

it('docs/README.md lists every page in four sections, and marks the generated ones', async () => {
  const map = await textOf('docs/README.md');
  expect([...map.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
    'Tutorial',
    'Guides',
    'Reference',
    'Internals',
  ]);
  const pages = (await documentation()).filter((page) => page !== 'docs/README.md');
  const isGenerated = await Promise.all(
    pages.map(async (page) => /^<!-- (?:Generated|由)/m.test(await textOf(page))),
  );
  for (const [index, page] of pages.entries()) {
    const line = map.split('\n').find((each) => each.includes(`](${page.slice('docs/'.length)})`));
    expect(line, page).toBeDefined();
    expect(line?.includes('(generated)'), page).toBe(isGenerated[index]);
  }
  const handWritten = isGenerated.filter((each) => !each).length + 1;
  expect(handWritten).toBeLessThanOrEqual(16);
});

it('every link of a page leads to an existing file and heading', async () => {
  const broken: string[] = [];
  let links = 0;
  for (const page of [...outside, ...(await documentation())]) {
    for (const link of linksIn(await textOf(page))) {
      links++;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(projectRoot, target))) broken.push(`${page}: ${link}`);
      else if (anchor !== undefined && !anchorsIn(await textOf(target)).has(decodeURIComponent(anchor)))
        broken.push(`${page}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
  expect(links).toBeGreaterThan(100);
});
