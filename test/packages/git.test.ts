import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { defaultFetchLimits, type PackageSource } from '../../src/packages/package-source.ts';
import { someScript } from '../support/archives.ts';
import { fetchScene, type Scene, textAt } from '../support/fetching.ts';
import { findProgram, has } from '../support/needs.ts';
import { processesWith } from '../support/processes.ts';
import { until } from '../support/until.ts';

const identity = [
  '-c',
  'user.name=Ada',
  '-c',
  'user.email=ada@example.org',
  '-c',
  'init.defaultBranch=main',
  '-c',
  'protocol.file.allow=always',
];

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', [...identity, '-C', folder, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** A repository with a script and other given files, committed. */
async function repositoryIn(
  scene: Scene,
  fill: (folder: string) => Promise<unknown> = async () => {},
): Promise<string> {
  const folder = join(scene.folder, '仓库 with spaces');
  await mkdir(folder);
  git(folder, 'init', '-q');
  for (const { name, content } of someScript) await writeFile(join(folder, name), content);
  await fill(folder);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  return folder;
}

function at(location: string, ref: string | null = null): PackageSource {
  return { kind: 'git', location, ref, path: null };
}

describe.skipIf(!has('git', findProgram('git') !== null))('a git repository', () => {
  it.each(['its path', 'its address'])(
    'is fetched by %s, with its modes and without git’s own files',
    async (how) => {
      const scene = await fetchScene();
      const repository = await repositoryIn(scene, async (folder) => {
        await mkdir(join(folder, 'bin'));
        await writeFile(join(folder, 'bin', '工具 🔧'), '#!/bin/sh\n');
        await chmod(join(folder, 'bin', '工具 🔧'), 0o755);
      });
      const location = how === 'its path' ? repository : `file://${repository}`;
      const { folder, commit, notes } = await scene.fetch(at(location));
      expect((await readdir(folder)).toSorted()).toEqual(['bin', 'main.sh', 'script.toml']);
      expect(commit).toBe(git(repository, 'rev-parse', 'HEAD'));
      expect(notes).toEqual([]);
      expect(scene.progress.at(-1)).toMatchObject({ entriesDone: 4 });
      // The repository itself is not kept next to it.
      expect(await readdir(join(folder, '..'))).toEqual(['content']);
    },
  );

  it('is taken at a branch, a tag or a commit', async () => {
    const scene = await fetchScene();
    const repository = await repositoryIn(scene);
    const first = git(repository, 'rev-parse', 'HEAD');
    git(repository, 'tag', '-a', 'v1', '-m', 'one');
    git(repository, 'checkout', '-qb', 'feature/新');
    await writeFile(join(repository, 'main.sh'), 'exit 2\n');
    git(repository, 'commit', '-qam', 'second');
    git(repository, 'checkout', '-q', 'main');
    const branch = await scene.fetch(at(repository, 'feature/新'));
    expect(await textAt(branch.folder, 'main.sh')).toBe('exit 2\n');
    const tag = await scene.fetch(at(repository, 'v1'));
    expect({ text: await textAt(tag.folder, 'main.sh'), commit: tag.commit }).toEqual({
      text: 'exit 0\n',
      commit: first,
    });
    const commit = await scene.fetch(at(repository, first));
    expect(commit.commit).toBe(first);
  });

  it('without the requested ref is refused, and both are named', async () => {
    const scene = await fetchScene();
    const repository = await repositoryIn(scene);
    for (const ref of ['nowhere', 'f'.repeat(40)]) {
      const error = await scene.refused(at(repository, ref));
      expect(error.code).toBe('package-fetch-failed');
      expect(error.text.en).toContain(`has no "${ref}"`);
    }
  });

  it('that is invalid or missing is refused with the message of git', async () => {
    const scene = await fetchScene();
    const error = await scene.refused(at(join(scene.folder, 'nowhere.git')));
    expect(error.code).toBe('package-fetch-failed');
    expect(error.text.en).toMatch(
      /^git cannot fetch ".*nowhere\.git": .*does not appear to be a git repository/,
    );
  });

  it('with a link is refused, and the link is named', async () => {
    const scene = await fetchScene();
    const repository = await repositoryIn(scene, (folder) =>
      symlink('/etc/passwd', join(folder, 'shortcut')),
    );
    const error = await scene.refused(at(repository));
    expect(error).toMatchObject({ code: 'package-unsafe' });
    expect(error.text.en).toContain('"shortcut" is a symbolic link');
  });

  it('with names that are equal on some machines is refused', async () => {
    const scene = await fetchScene();
    const repository = await repositoryIn(scene, (folder) => writeFile(join(folder, 'MAIN.SH'), ''));
    expect((await scene.refused(at(repository))).text.en).toContain('same file');
  });

  it('is fetched without its submodules, with a note', async () => {
    const scene = await fetchScene();
    const inner = join(scene.folder, 'inner');
    await mkdir(inner);
    git(inner, 'init', '-q');
    git(inner, 'commit', '-q', '--allow-empty', '-m', 'x');
    const repository = await repositoryIn(scene, async (folder) =>
      git(folder, 'submodule', '--quiet', 'add', inner, 'module'),
    );
    const { folder, notes } = await scene.fetch(at(repository));
    expect(await readdir(join(folder, 'module'))).toEqual([]);
    expect(notes[0]?.en).toContain('the folder "module" is empty');
  });

  it("executes nothing: no hooks, no filters, no programs from git's environment variables", async () => {
    const scene = await fetchScene();
    const evil = join(scene.folder, 'evil.sh');
    const trace = join(scene.folder, 'trace');
    await writeFile(evil, `#!/bin/sh\necho "$0" >> '${trace}'\n`, { mode: 0o755 });
    const template = join(scene.folder, 'template');
    await mkdir(join(template, 'hooks'), { recursive: true });
    for (const hook of ['post-checkout', 'reference-transaction', 'post-update'])
      await symlink(evil, join(template, 'hooks', hook));
    const repository = await repositoryIn(scene, (folder) =>
      writeFile(join(folder, '.gitattributes'), '* filter=lfs diff=evil\n'),
    );
    const config = join(scene.folder, 'gitconfig');
    const lines = [
      '[core]',
      `hooksPath = ${join(template, 'hooks')}`,
      `fsmonitor = ${evil}`,
      '[init]',
      `templateDir = ${template}`,
    ];
    await writeFile(config, [...lines, '[filter "lfs"]', `smudge = ${evil}`, 'required = true'].join('\n'));
    const env = {
      ...process.env,
      GIT_CONFIG_GLOBAL: config,
      GIT_TEMPLATE_DIR: template,
      GIT_DIR: '/nowhere',
      GIT_EXTERNAL_DIFF: evil,
    };
    const { folder } = await scene.fetch(at(repository), { env });
    expect(await textAt(folder, 'main.sh')).toBe('exit 0\n');
    await expect(textAt(trace)).rejects.toThrow('ENOENT');
  });

  it.each([
    ['the user, in ~/.gitconfig', (file: string, home: string) => copyFile(file, join(home, '.gitconfig'))],
    ['the user, in a file of their choice', (file: string) => ({ GIT_CONFIG_GLOBAL: file })],
    ['the system', (file: string) => ({ GIT_CONFIG_SYSTEM: file })],
    [
      'variables',
      (file: string) => ({
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'include.path',
        GIT_CONFIG_VALUE_0: file,
        GIT_CONFIG_PARAMETERS: `'include.path=${file}'`,
      }),
    ],
  ])('is fetched byte for byte as committed, without filters configured by %s', async (_by, plant) => {
    const scene = await fetchScene();
    const mark = join(scene.folder, 'mark');
    const evil = join(scene.folder, 'evil.sh');
    await writeFile(evil, `#!/bin/sh\necho "$@" >> '${mark}'\necho changed\n`, { mode: 0o755 });
    const files = {
      '.gitattributes': '*.a filter=smudged\n*.b filter=processed\n*.c filter=lfs\n',
      'one.a': 'as committed\n',
      'two.b': 'as committed\r\n',
      'three.c': `version https://example.org/spec\n`,
      'plain.txt': 'line\nline\n',
    };
    const repository = await repositoryIn(scene, async (folder) => {
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    });
    const config = join(scene.folder, 'gitconfig');
    await writeFile(
      config,
      `[core]
autocrlf = true
fsmonitor = ${evil} fsmonitor
pager = ${evil} pager
[filter "smudged"]
smudge = ${evil} smudge
clean = ${evil} clean
[filter "processed"]
process = ${evil} process
[filter "lfs"]
smudge = ${evil} lfs smudge
process = ${evil} lfs process
required = true
[tar "tar"]
command = ${evil} tar
[gpg]
program = ${evil} gpg
`,
    );
    const home = join(scene.folder, 'home');
    await mkdir(home);
    const env = { ...process.env, HOME: home, ...(await plant(config, home)) };
    const { folder } = await scene.fetch(at(repository), { env });
    await expect(textAt(mark)).rejects.toThrow('ENOENT');
    for (const [name, text] of Object.entries(files)) expect(await textAt(folder, name), name).toBe(text);
  });

  it('is accessed with the git configuration of its user', async () => {
    const scene = await fetchScene();
    const repository = await repositoryIn(scene);
    const home = join(scene.folder, 'home');
    await mkdir(home);
    const lines = [`[url "file://${repository}"]`, 'insteadOf = https://example.org/repo.git'];
    await writeFile(join(home, '.gitconfig'), lines.join('\n'));
    const { folder } = await scene.fetch(at('https://example.org/repo.git'), {
      env: { ...process.env, HOME: home },
    });
    expect(await textAt(folder, 'main.sh')).toBe('exit 0\n');
  });

  it('with files in Git LFS is fetched with their pointers, and a note gives advice', async () => {
    const scene = await fetchScene();
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
    const repository = await repositoryIn(scene, async (folder) => {
      await writeFile(join(folder, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n');
      for (const name of ['a.bin', 'b.bin']) await writeFile(join(folder, name), pointer);
    });
    const { folder, notes } = await scene.fetch(at(repository));
    expect(await textAt(folder, 'a.bin')).toBe(pointer);
    expect(notes).toEqual([
      expect.objectContaining({
        en: expect.stringMatching(/^"a\.bin" and 1 more file .* git lfs pull/),
        zh: expect.stringContaining('git lfs pull'),
      }),
    ]);
  });

  it('is never accessed through a program, even if the configuration says so', async () => {
    const scene = await fetchScene();
    const trace = join(scene.folder, 'trace');
    const config = join(scene.folder, 'gitconfig');
    const lines = [
      '[protocol "ext"]',
      'allow = always',
      `[url "ext::touch ${trace} "]`,
      'insteadOf = https://',
    ];
    await writeFile(config, lines.join('\n'));
    const env = { ...process.env, GIT_CONFIG_GLOBAL: config };
    const error = await scene.refused(at('https://example.org/repo.git'), { env });
    expect(error.text.en).toContain("transport 'ext' not allowed");
    await expect(textAt(trace)).rejects.toThrow('ENOENT');
  });

  it('larger than allowed is stopped while it is unpacked', async () => {
    const scene = await fetchScene();
    const repository = await repositoryIn(scene, (folder) =>
      writeFile(join(folder, 'zeros'), Buffer.alloc(5_000_000)),
    );
    const error = await scene.refused(at(repository), {
      limits: { ...defaultFetchLimits, totalBytes: 1_000_000 },
    });
    expect(error.code).toBe('package-too-large');
  });

  it('without git installed gets an error that says how to get it', async () => {
    const scene = await fetchScene();
    const error = await scene.refused(at('https://example.org/repo.git'), { env: { PATH: scene.folder } });
    expect(error.code).toBe('package-fetch-failed');
    expect(error.text.en).toContain('git is not installed');
    expect(error.hint?.en).toContain('apt install git');
  });

  it('whose server asks for a password is refused, and no password is sent', async () => {
    const scene = await fetchScene();
    const { port } = await serverThat((socket) =>
      socket.end(
        'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      ),
    );
    const error = await scene.refused(at(`http://ada:s3cret@127.0.0.1:${port}/repo.git`));
    expect(error.code).toBe('package-fetch-failed');
    expect(JSON.stringify([error.text, error.hint, error.message])).not.toContain('s3cret');
    expect(error.text.en).toContain(`http://127.0.0.1:${port}/repo.git`);
  });

  it('whose server is silent is given up after a while', async () => {
    const scene = await fetchScene();
    const { port } = await serverThat(() => {});
    const limits = { ...defaultFetchLimits, silenceS: 1 };
    const error = await scene.refused(at(`http://127.0.0.1:${port}/repo.git`), { limits });
    expect(error.code).toBe('package-fetch-failed');
    expect(error.text.en).toContain('too slow');
  });

  it('whose server is silent can be cancelled, and no process is left', async () => {
    const scene = await fetchScene();
    const { port, connected } = await serverThat(() => {});
    const stop = new AbortController();
    const mark = `HOB_TEST_MARK=${scene.folder}`;
    const env = { ...process.env, HOB_TEST_MARK: scene.folder };
    const fetching = scene.fetch(at(`http://127.0.0.1:${port}/repo.git`), { env, signal: stop.signal });
    await connected;
    stop.abort(new Error('enough'));
    await expect(fetching).rejects.toThrow('enough');
    await until('all git processes have exited', async () => (await processesWith(mark)).length === 0);
  });
});

/** A server that handles every connection with this function. */
async function serverThat(
  work: (socket: Socket) => void,
): Promise<{ port: number; connected: Promise<unknown> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => work(socket));
  });
  const connected = new Promise((resolve) => server.once('connection', resolve));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, connected };
}
