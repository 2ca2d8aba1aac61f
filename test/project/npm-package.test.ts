import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { projectRoot, runCli, startHob, tempFolder } from '../support/hob.ts';

const titleSlug = '899bf95e-1ffb-4d83-b0db-c611951706bb';

function npm(args: string[], cwd: string) {
  return promisify(execFile)('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd });
}

it('the npm package installs without install scripts, and serves from any folder', {
  timeout: 240_000,
}, async () => {
  const folder = await tempFolder();
  const prefix = join(folder, 'empty prefix');
  await mkdir(prefix);
  await npm(['pack', '--pack-destination', folder], projectRoot);
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  await npm(
    ['install', '-g', '--ignore-scripts', '--prefer-offline', '--prefix', prefix, join(folder, tarball)],
    folder,
  );

  const installed = join(prefix, 'lib', 'node_modules', 'hob');
  // A missing source file, or an included test, would be noticed only by users.
  expect((await readdir(installed)).sort()).toEqual(
    expect.arrayContaining(['README.md', 'assets', 'bin', 'dist', 'docs', 'examples', 'schema']),
  );
  for (const part of ['src', 'bench', 'tools', 'test', 'web'])
    expect(await readdir(installed)).not.toContain(part);
  // Pictures and measured results are only in the repository.
  const pages = await readdir(join(installed, 'docs'));
  expect(pages).toContain('http.md');
  expect(pages.filter((name) => !name.endsWith('.md') || /^(?:measurements|method)/.test(name))).toEqual([]);
  const command = join(prefix, 'bin', 'hob');
  const { code, stdout } = await runCli(['--version'], {}, { command, cwd: folder }).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });

  const hob = await startHob({ command, scripts: [join(installed, 'examples')] });
  const page = await fetch(hob.url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/assets/index-')]);
  const answer = await hob.run(titleSlug, { data: { title: 'Hello there' } });
  expect(answer.body).toMatchObject({ success: true, message: 'hello-there' });
  expect(await hob.stop()).toBe(0);
});
