import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { runCli, tempFolder } from '../support/hob.ts';
import { writeScript } from '../support/scripts.ts';
import { hasTerminal, runInTerminal } from '../support/terminal.ts';

const manifestOf = (info: string) => `[service.info]
id = "2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11"
${info}

[service.runtime]
language = "bash"
entry = "main.sh"
`;

/** A folder with a manifest. */
async function folderWith(info: string): Promise<string> {
  const folder = join(await tempFolder(), 'my script');
  await mkdir(folder);
  await writeFile(join(folder, 'script.toml'), manifestOf(info));
  await writeFile(join(folder, 'main.sh'), 'exit 0\n');
  return folder;
}

describe('hob check', () => {
  it('accepts a script without errors and prints its notes', async () => {
    const plain = await folderWith('name = "图片放大"\nversion = "1.0.0"');
    expect(await runCli(['check', plain]).ended).toEqual({
      code: 0,
      stdout: '图片放大 1.0.0: no errors.\n',
      stderr: '',
    });
    const noted = await folderWith('name = "Resize"\ncolour = "red"');
    const { code, stdout } = await runCli(['check'], {}, { cwd: noted }).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^script\.toml:4 {2}note {3}.*colour.*\n( {4}.+\n)*\nResize: no errors, 1 note\.\n$/,
    );
  });

  it('lists all errors with line and advice, and exits with 1', async () => {
    const folder = await folderWith('name = 5\nversion = 3');
    const { code, stdout, stderr } = await runCli(['check', folder]).ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^script\.toml:3 {2}error {2}\S.*\n {4}\S/);
    expect(stdout).toMatch(/\nscript\.toml:4 {2}error {2}\S/);
    expect(stdout).toMatch(/\n2 errors\. The script cannot be installed until the errors are fixed\.\n$/);
  });

  it('prints the same as JSON', async () => {
    const folder = await folderWith('name = 5');
    const { code, stdout } = await runCli(['check', folder, '--json']).ended;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      folder,
      script: null,
      problems: [
        {
          severity: 'error',
          file: 'script.toml',
          line: 3,
          message: expect.any(String),
          advice: expect.any(String),
        },
      ],
      errors: 1,
      notes: 0,
    });
  });

  it('reports a missing script, a missing folder and a file', async () => {
    const empty = await tempFolder();
    expect(await runCli(['check', empty]).ended).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('manifest'),
    });
    await writeFile(join(empty, 'file'), '');
    for (const path of [join(empty, 'gone'), join(empty, 'file')]) {
      const { code, stdout, stderr } = await runCli(['check', path]).ended;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(path);
    }
  });

  it.runIf(hasTerminal)('is coloured on a terminal, unless NO_COLOR is set', async () => {
    const folder = await folderWith('name = 5');
    const session = runInTerminal(['check', folder]);
    expect(await session.ended).toBe(1);
    expect(session.written()).toContain('\u001b[31merror\u001b[39m');
    const plain = runInTerminal(['check', folder], { env: { NO_COLOR: '1' } });
    await plain.ended;
    expect(plain.written()).not.toContain('\u001b[');
  });
});

describe('hob pack', () => {
  it('writes a package with the name and version of the script into the current folder', async () => {
    const [folder, cwd] = [await folderWith('name = "图片/放大 🖼"\nversion = "1.0.0"'), await tempFolder()];
    await mkdir(join(folder, '.git'));
    await writeFile(join(folder, '.git', 'HEAD'), '');
    await mkdir(join(folder, 'lib'));
    await writeFile(join(folder, 'lib', '数据.txt'), 'x'.repeat(5000));
    const { code, stdout, stderr } = await runCli(['pack', folder], {}, { cwd }).ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^(?:Note: Not included.*\.git.*\n)?$/);
    const file = join(cwd, '图片-放大-🖼-1.0.0.zip');
    expect(await readdir(cwd)).toEqual(['图片-放大-🖼-1.0.0.zip']);
    const sha256 = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    expect(stdout).toMatch(
      new RegExp(`^${file}\\n3 files, \\d+ B, sha256 ${sha256}\\nInstall it: hob install '${file}'\\n$`),
    );
    const listing =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(z.namelist())';
    const names = String(
      execFileSync('python3', ['-c', listing, file], { env: { ...process.env, PYTHONUTF8: '1' } }),
    );
    expect(names.trim()).toBe("['lib/数据.txt', 'main.sh', 'script.toml']");
  });

  it('replaces an existing file only with --force', async () => {
    const [folder, target] = [await folderWith('name = "Resize"'), await tempFolder()];
    const pack = (...args: string[]) => runCli(['pack', folder, '-o', target, ...args]).ended;
    expect(await pack()).toMatchObject({ code: 0 });
    await writeFile(join(target, 'Resize.zip'), 'mine');
    const refused = await pack();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('--force');
    expect(await readFile(join(target, 'Resize.zip'), 'utf8')).toBe('mine');
    const forced = await pack('--force', '--json');
    expect(JSON.parse(forced.stdout)).toMatchObject({
      file: join(target, 'Resize.zip'),
      entries: 2,
      name: 'Resize',
      version: null,
    });
    expect(await readdir(target)).toEqual(['Resize.zip']);
  });

  it('replaces a link only with --force, and never a pipe', async () => {
    const [folder, target] = [await folderWith('name = "Resize"'), await tempFolder()];
    const [link, pipe] = [join(target, 'link.zip'), join(target, 'pipe.zip')];
    await symlink(join(target, 'gone.zip'), link);
    const refused = await runCli(['pack', folder, '-o', link]).ended;
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    execFileSync('mkfifo', [pipe]);
    const forced = await runCli(['pack', folder, '-o', pipe, '--force']).ended;
    expect(forced).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a regular file') });
    expect((await lstat(pipe)).isFIFO()).toBe(true);
  });

  it('refuses a script with errors and lists them like hob check', async () => {
    const [folder, cwd] = [await folderWith('name = 5'), await tempFolder()];
    const { code, stdout, stderr } = await runCli(['pack', folder], {}, { cwd }).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^script\.toml:3 {2}error/);
    expect(stderr).toContain('hob: Nothing was packed.\n');
    expect(await readdir(cwd)).toEqual([]);
  });

  it('reports a missing output folder', async () => {
    const folder = await tempFolder();
    await writeScript(folder, 'one');
    const { code, stderr } = await runCli(['pack', join(folder, 'one'), '-o', join(folder, 'gone', 'x.zip')])
      .ended;
    expect(code).toBe(1);
    expect(stderr).toBe(
      `hob: The folder ${join(folder, 'gone')} does not exist. Create it first, or choose another file with -o.\n`,
    );
  });
});
