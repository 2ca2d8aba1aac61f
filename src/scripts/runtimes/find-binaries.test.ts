import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { someScript } from '../../../test/support/some-script.ts';
import { findMissingBinaries, noteMissingBinaries } from './find-binaries.ts';

/** A machine with only these programs. */
async function machine(...programs: string[]) {
  const bin = join(await tempFolder(), 'bin');
  await mkdir(bin);
  const install = (name: string) => writeFile(join(bin, name), '#!/bin/sh\n', { mode: 0o755 });
  for (const name of programs) await install(name);
  return {
    install,
    lackOf: async (...binaries: string[]) => {
      const script = { runtime: { ...someScript().runtime, binaries } };
      return (await findMissingBinaries(script, { PATH: bin }))?.message ?? null;
    },
  };
}

describe('a script that needs other programs', () => {
  it('reports all missing programs at once, and none if all exist', async () => {
    const { lackOf, install } = await machine('jq');
    const lack = await lackOf('ffmpeg', 'jq', 'unknown-program');
    expect(lack?.en).toMatch(/"ffmpeg".*\n.*"unknown-program".*\n/);
    expect(lack?.en).not.toContain('"jq"');
    expect(lack?.zh).toMatch(/"ffmpeg".*\n.*"unknown-program"/);
    await install('ffmpeg');
    await install('unknown-program');
    expect(await lackOf('ffmpeg', 'jq', 'unknown-program')).toBeNull();
  });

  it('names the install command of this machine', async () => {
    expect((await (await machine('apt-get')).lackOf('exiftool'))?.en).toContain(
      'Install it with: sudo apt install libimage-exiftool-perl',
    );
    expect((await (await machine('brew')).lackOf('pdftotext'))?.zh).toContain('brew install poppler');
    expect((await (await machine('pacman', 'brew')).lackOf('ffmpeg'))?.en).toContain('sudo pacman -S ffmpeg');
  });

  it('suggests no command if the package is unknown', async () => {
    const { lackOf } = await machine('apt-get', 'brew');
    for (const name of ['unknown-program', 'constructor', '__proto__']) {
      const lack = await lackOf(name);
      expect(lack?.en).toContain('Install it\n');
      expect(lack?.en).not.toContain('apt');
    }
  });

  it('has notes about missing programs before it runs', async () => {
    const bin = join(await tempFolder(), 'bin');
    const script = someScript();
    const needs = { ...script, runtime: { ...script.runtime, binaries: ['unknown-program'] } };
    expect(await noteMissingBinaries(needs, { PATH: bin })).toMatchObject([
      {
        severity: 'note',
        file: script.manifestPath,
        message: { en: expect.stringContaining('"unknown-program"') },
      },
    ]);
    expect(await noteMissingBinaries(script, { PATH: bin })).toEqual([]);
  });

  it('suggests no command of a manager without a known package name', async () => {
    expect((await (await machine('winget')).lackOf('mpv'))?.en).toContain('Install it\n');
  });
});
