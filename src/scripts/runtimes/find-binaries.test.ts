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
  it('is told of all that are missing at once, and of none when they are there', async () => {
    const { lackOf, install } = await machine('jq');
    const lack = await lackOf('ffmpeg', 'jq', 'of-nobody');
    expect(lack?.en).toMatch(/"ffmpeg".*\n.*"of-nobody".*\n/);
    expect(lack?.en).not.toContain('"jq"');
    expect(lack?.zh).toMatch(/"ffmpeg".*\n.*"of-nobody"/);
    await install('ffmpeg');
    await install('of-nobody');
    expect(await lackOf('ffmpeg', 'jq', 'of-nobody')).toBeNull();
  });

  it('hears what to install it with, as the machine has it', async () => {
    expect((await (await machine('apt-get')).lackOf('exiftool'))?.en).toContain(
      'Install it with: sudo apt install libimage-exiftool-perl',
    );
    expect((await (await machine('brew')).lackOf('pdftotext'))?.zh).toContain('brew install poppler');
    expect((await (await machine('pacman', 'brew')).lackOf('ffmpeg'))?.en).toContain('sudo pacman -S ffmpeg');
  });

  it('hears no guess where nobody knows', async () => {
    const { lackOf } = await machine('apt-get', 'brew');
    for (const name of ['of-nobody', 'constructor', '__proto__']) {
      const lack = await lackOf(name);
      expect(lack?.en).toContain('Install it\n');
      expect(lack?.en).not.toContain('apt');
    }
  });

  it('is known to lack them before it is run', async () => {
    const bin = join(await tempFolder(), 'bin');
    const script = someScript();
    const needs = { ...script, runtime: { ...script.runtime, binaries: ['of-nobody'] } };
    expect(await noteMissingBinaries(needs, { PATH: bin })).toMatchObject([
      {
        severity: 'note',
        file: script.manifestPath,
        message: { en: expect.stringContaining('"of-nobody"') },
      },
    ]);
    expect(await noteMissingBinaries(script, { PATH: bin })).toEqual([]);
  });

  it('hears nothing of a manager that has it under no name that is known', async () => {
    expect((await (await machine('winget')).lackOf('mpv'))?.en).toContain('Install it\n');
  });
});
