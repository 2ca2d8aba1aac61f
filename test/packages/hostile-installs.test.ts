import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { someManifest, someScript, tarOf, zipOf } from '../support/archives.ts';
import { startHob, tempFolder } from '../support/hob.ts';
import { tarCases } from '../support/hostile/tars.ts';
import { zipCases } from '../support/hostile/zips.ts';
import { install } from '../support/packages.ts';

// Real services and real tools, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

interface Package {
  readonly what: string;
  readonly code: string;
  readonly bytes: Buffer;
}

/** Packages that can be unpacked but are not working scripts. */
const broken: [what: string, manifest: string][] = [
  ['invalid TOML', '[service.info\nid = '],
  ['no id', someManifest.replace(/^id = .*$/m, '')],
  ['an invalid id', someManifest.replace(/^id = .*$/m, 'id = "one"')],
  ['no name', someManifest.replace(/^name = .*$/m, '')],
  ['an unknown language', `${someManifest}\nlanguage = "cobol"\n`],
  ['a missing entry', someManifest.replace(/^entry = .*$/m, 'entry = "nowhere.py"')],
  [
    'an entry outside of the package',
    someManifest.replace(/^entry = .*$/m, 'entry = "../../../../etc/passwd"'),
  ],
  ['an entry with an absolute path', someManifest.replace(/^entry = .*$/m, 'entry = "/etc/passwd"')],
  ['an entry that is a folder', someManifest.replace(/^entry = .*$/m, 'entry = "folder"')],
  ['two root tables', `${someManifest}\n${someManifest.replaceAll('service.', 'other.')}`],
  ['an invalid timeout', `${someManifest}\ntimeout = "soon"\n`],
  ['an invalid version', `${someManifest}\nlanguage_version = "newest"\n`],
];

describe('packages that are hostile or broken', () => {
  it('leave nothing behind, report the reason, and do not block the next one', async () => {
    const hob = await startHob();
    const folder = await tempFolder();
    const packages: Package[] = [
      ...zipCases.map(({ what, code, zip }) => ({
        what: `zip: ${what}`,
        code,
        bytes: zipOf([...someScript, ...zip]),
      })),
      ...tarCases.map(({ what, code, tar }) => ({
        what: `tar: ${what}`,
        code,
        bytes: tarOf([...someScript, ...tar]),
      })),
      ...broken.map(([what, manifest]) => ({
        what: `a manifest with ${what}`,
        code: 'package-broken',
        bytes: zipOf([
          { name: 'script.toml', content: manifest },
          { name: 'folder/file', content: '' },
          ...someScript.filter(({ name }) => name !== 'script.toml'),
        ]),
      })),
    ];
    expect(packages.length).toBeGreaterThanOrEqual(60);
    const file = join(folder, 'package');
    for (const { what, code, bytes } of packages) {
      await writeFile(file, bytes);
      const { state, error } = await install(hob, file);
      expect({ what, state, error }).toEqual({
        what,
        state: 'failed',
        error: { code, message: expect.stringMatching(/\S/), hint: expect.any(String) },
      });
    }
    expect(await readdir(join(hob.home, 'packages'), { recursive: true })).toEqual(['.staging']);
    expect(await readdir(join(hob.home, 'environments'))).toEqual([]);
    expect(await readdir(folder)).toEqual(['package']);
    expect((await hob.get('/api/scripts')).body).toMatchObject({ scripts: [], problems: [] });
    expect((await hob.get('/api/runs')).body).toMatchObject({ items: [] });
    await writeFile(file, zipOf(someScript));
    expect(await install(hob, file)).toMatchObject({ state: 'done' });
  });
});
