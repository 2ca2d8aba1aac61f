import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { someManifest } from '../../../test/support/archives.ts';
import type { Problem } from '../../scripts/script.ts';
import { defaultFetchLimits } from '../package-source.ts';
import { type CheckOptions, checkFolder } from './check-folder.ts';

type Files = Record<string, string | Buffer>;

const good: Files = { 'script.toml': someManifest, 'main.sh': '#!/bin/bash\nexit 0\n' };

async function folderOf(files: Files): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-check-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** Each problem as one line: severity, file, line and message. */
async function problemsOf(files: Files, options?: CheckOptions): Promise<string[]> {
  const folder = await folderOf(files);
  const { problems } = await checkFolder(folder, options);
  return problems.map((each) => shown(folder, each));
}

function shown(folder: string, { severity, file, line, message, advice }: Problem): string {
  expect(advice.en && advice.zh && message.zh).toBeTruthy();
  return `${severity} ${file.slice(folder.length + 1)}:${line ?? '-'} ${message.en}`;
}

const asLanguage = (language: string, entry = 'main.sh') =>
  someManifest.replace('"bash"', `"${language}"`).replace('"main.sh"', `"${entry}"`);

describe('the check of a folder', () => {
  it('finds no problems in a valid folder, and returns its script', async () => {
    const { script, problems } = await checkFolder(await folderOf(good));
    expect(problems).toEqual([]);
    expect(script?.name).toBe('Packed');
  });

  it('reports all problems, errors first, with file and line', async () => {
    const manifest = `${someManifest.replace('main.sh', 'gone.sh').replace('version = ', 'icon = "no.png"\ncolour = ')}
[[service.params]]
name = "size"
when = { field = "mode", eq = "x" }
`;
    const folder = await folderOf({ 'script.toml': manifest, '.env': 'KEY=1', 'what?.txt': '' });
    await symlink('script.toml', join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const { problems } = await checkFolder(folder);
    expect(problems.map((each) => shown(folder, each))).toEqual([
      'error script.toml:9 entry "gone.sh" does not exist',
      'error link:- "link" is a symbolic link',
      'error pipe:- "pipe" is not a regular file but a device, a pipe or a socket',
      expect.stringMatching(/^note script\.toml:5 .*colour/),
      'note script.toml:4 icon "no.png" does not exist',
      'note script.toml:13 The param "size" depends on "mode", which is not declared',
      'note .env:- ".env" may contain secrets',
      'note what?.txt:- "what?.txt" is not a valid name on Windows',
    ]);
  });

  it('returns no script if the manifest is missing, broken or points outside the folder', async () => {
    expect(await problemsOf({ 'main.sh': '' })).toEqual(['error :- This folder has no manifest']);
    expect(await problemsOf({ 'script.toml': `${someManifest}\n[[[` })).toEqual([
      expect.stringMatching(/^error script\.toml:1\d Not valid TOML/),
    ]);
    expect(await problemsOf({ 'script.toml': someManifest.replace('main.sh', '../main.sh') })).toEqual([
      'error script.toml:8 entry "../main.sh" is outside the script folder',
    ]);
  });

  it('finds names that cannot be unpacked on other systems, and exceeded limits', async () => {
    expect(await problemsOf({ ...good, 'MAIN.SH': '', 'lib/nul.py': '', 'x ': '' })).toEqual([
      'error lib/nul.py:- The entry "lib/nul.py" has the name of a Windows device',
      'error main.sh:- "MAIN.SH" and "main.sh" are the same file on some machines',
      'error x :- The entry "x " has a name that ends with a dot or a space, which Windows removes',
    ]);
    const limits = { ...defaultFetchLimits, totalBytes: 1000, entries: 5 };
    expect(await problemsOf({ ...good, big: 'x'.repeat(1000) }, { limits })).toEqual([
      expect.stringContaining('exceeds 1000 bytes'),
    ]);
    expect(await problemsOf({ ...good, a: '', b: '', c: '', d: '', e: '' }, { limits })).toEqual([
      expect.stringContaining('more than 5 files and folders'),
    ]);
  });

  it('ignores files that are not packed', async () => {
    const folder = await folderOf({ ...good, '.venv/pyvenv.cfg': '', '.git/id_rsa': '' });
    await symlink('/usr/bin/python3', join(folder, '.venv', 'python'));
    expect((await checkFolder(folder)).problems).toEqual([]);
  });

  it.each<[string, string, string | Buffer, string[]]>([
    ['bash', 'main.sh', '#!/bin/bash\nls\r\n', ['error main.sh:2 The line has a Windows line ending']],
    [
      'bash',
      'main.sh',
      '\ufeff#!/bin/bash\nls\n',
      ['error main.sh:1 The entry starts with a byte order mark'],
    ],
    ['python', 'main.py', '#!/usr/bin/python3\r\nprint(1)\r\n', []],
    [
      'python',
      'main.py',
      Buffer.from('# a\nx = "\xb2\xe2"\n', 'latin1'),
      ['note main.py:2 The entry is not UTF-8'],
    ],
    ['python', 'main.py', Buffer.from('# -*- coding: gbk -*-\nx = "\xb2\xe2"\n', 'latin1'), []],
    ['node.js', 'main.js', Buffer.from('"\xff"', 'latin1'), ['note main.js:1 The entry is not UTF-8']],
    ['python', 'main.py', '', ['note main.py:- The entry is empty']],
    [
      'exe',
      'main',
      '#!/bin/sh\r\n',
      ['error main:1 The line has a Windows line ending', 'error main:- The entry is not executable'],
    ],
    [
      'exe',
      'main',
      'hello',
      [
        'error main:1 The entry is not a program and does not start with #!',
        'error main:- The entry is not executable',
      ],
    ],
    ['exe', 'main', '\x7fELF', ['error main:- The entry is not executable']],
    ['exe', 'main.exe', 'MZ\x90', ['note main.exe:- The entry is a program for Windows']],
  ])('checks the entry of a script in %s (%#)', async (language, entry, content, expected) => {
    const files = { 'script.toml': asLanguage(language, entry), [entry]: content };
    const found = await problemsOf(files, { platform: 'linux' });
    expect(found).toEqual(expected.map((start) => expect.stringContaining(start)));
  });

  it('reports required scripts that are not installed', async () => {
    const [one, two] = ['2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7caa', '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7cbb'];
    const needs = [one, two].map((id) => `[[service.dependencies]]\nid = "${id}"\n`).join('\n');
    const files = { ...good, 'script.toml': `${someManifest}\n${needs}` };
    const findScript = (id: string) => (id === one ? { name: 'one', version: null } : null);
    expect(await problemsOf(files, { findScript })).toEqual([
      `note script.toml:10 The required script ${two} is not installed`,
    ]);
    expect(await problemsOf(files)).toEqual([]);
  });

  it('includes the problems of additional checks', async () => {
    const check = async ({ manifestPath }: { manifestPath: string }): Promise<Problem[]> => [
      {
        severity: 'error',
        file: manifestPath,
        line: 7,
        message: { en: 'x', zh: 'x' },
        advice: { en: 'y', zh: 'y' },
      },
    ];
    expect(await problemsOf(good, { checks: [check] })).toEqual(['error script.toml:7 x']);
  });
});
