import { chmod, chown, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { executorPid, type Hob, runCli, startHob, tempFolder, untilGone } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { canBecomeOrdinary, ordinaryUser } from '../support/ordinary-user.ts';
import { startTraced } from '../support/processes.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere, until } from '../support/until.ts';

const canLock = has(
  'another user, for permissions (root on Linux with setpriv)',
  canBecomeOrdinary && findProgram('setpriv') !== null,
);

/** The most permissive umask. Files that are private with it are private by themselves. */
const withoutMask = ['sh', '-c', 'umask 000; exec "$@"', 'sh'];

interface Entry {
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'socket' | 'pipe' | 'other';
  readonly mode: number;
}

async function entriesIn(folder: string): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const entry = await lstat(path).catch(() => null);
    // The file is gone, like the parameter file of an ended run.
    if (entry === null) continue;
    const kinds = [
      entry.isDirectory() && 'folder',
      entry.isFile() && 'file',
      entry.isSocket() && 'socket',
      entry.isFIFO() && 'pipe',
    ] as const;
    const kind = kinds.find((each) => each !== false) ?? 'other';
    found.push({ path, kind, mode: entry.mode & 0o777 });
    if (kind === 'folder') found.push(...(await entriesIn(path)));
  }
  return found;
}

const openOnes = (entries: readonly Entry[]) =>
  entries.filter(({ mode }) => (mode & 0o077) !== 0).map(({ path, mode }) => `${path} ${mode.toString(8)}`);

async function startAsync(hob: Hob, scriptId: string, params = {}): Promise<string> {
  const { body } = await hob.post('/api/execute', { script_id: scriptId, params });
  return String(body.run_id);
}

describe('with a umask that hides nothing', () => {
  it('everything that Hob writes is readable by its user only, while scripts run and afterwards', async () => {
    const [scripts, notes] = [await tempFolder(), await tempFolder()];
    const home = join(await tempFolder(), 'new', 'home');
    // Files that a script writes have the user's umask, but are in a private folder.
    const quiet = await writeScript(scripts, 'quiet', {
      node: true,
      entry: bash(`printf '{"code":0,"msg":"ok"}' > "$output"; chmod 600 "$output"`),
    });
    // More than the limit, so that a ring file exists. It runs until it is released.
    const flood = await writeScript(scripts, 'flood', {
      entry: bash(
        `head -c 200000 /dev/zero; head -c 200000 /dev/zero >&2; touch ${notes}/flooded; until [ -e ${notes}/go ]; do sleep 0.05; done`,
      ),
    });
    const linking = await writeScript(scripts, 'linking', {
      language: 'python',
      entry: python(
        `status, _ = call("/api/link", {"script_id": "${quiet}"})\nsys.exit(0 if status == 200 else 1)`,
      ),
    });
    const { hob } = await startTraced({
      home,
      scripts: [scripts],
      wrapper: withoutMask,
      env: { HOB_OUTPUT_LOG_MIB: '0.05' },
    });
    const lasting = await startAsync(hob, flood);
    const arguments_ = join(notes, 'arguments');
    await writeFile(arguments_, '["a","b"]');
    expect((await hob.run(quiet)).body.success).toBe(true);
    expect((await hob.run(quiet, { temp_file: arguments_ })).body.success).toBe(true);
    expect((await hob.run(linking)).body.success).toBe(true);
    await fileThere(join(notes, 'flooded'));
    await fileThere(join(home, 'runs', lasting, 'stdout.ring'));
    await fileThere(join(home, 'runs', lasting, 'stderr.ring'));

    const during = await entriesIn(home);
    expect(openOnes(during)).toEqual([]);
    expect(new Set(during.map(({ kind }) => kind))).toEqual(new Set(['folder', 'file', 'socket']));
    const names = during.map(({ path }) => path.slice(home.length + 1));
    expect(names).toEqual(
      expect.arrayContaining([
        'hob.db',
        'hob.db-wal',
        'hob.db-shm',
        'service.lock',
        'service.json',
        'executor/executor.log',
        `runs/${lasting}/params.json`,
        `runs/${lasting}/stdout.log`,
        `runs/${lasting}/stderr.log`,
        `runs/${lasting}/stdout.ring`,
        `runs/${lasting}/stderr.ring`,
      ]),
    );
    expect((await stat(home)).mode & 0o777).toBe(0o700);

    await writeFile(join(notes, 'go'), '');
    await hob.ended(lasting);
    expect(openOnes(await entriesIn(home))).toEqual([]);
    await hob.stop();
    expect(openOnes(await entriesIn(home))).toEqual([]);
  });

  it('the output of a run whose executor was killed stays private, before and after its repair', async () => {
    const [scripts, notes] = [await tempFolder(), await tempFolder()];
    const id = await writeScript(scripts, 'flood', {
      entry: bash(`head -c 200001 /dev/zero; touch ${notes}/flooded; while :; do sleep 1; done`),
    });
    const { hob } = await startTraced({
      scripts: [scripts],
      wrapper: withoutMask,
      env: { HOB_OUTPUT_LOG_MIB: '0.05' },
    });
    const runId = await startAsync(hob, id);
    await fileThere(join(notes, 'flooded'));
    const executor = await executorPid(hob.home);
    process.kill(executor, 'SIGKILL');
    await untilGone(executor);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'lost' });
    expect(openOnes(await entriesIn(hob.home))).toEqual([]);
  });
});

it('scripts keep the umask of their user', async () => {
  const [scripts, notes] = [await tempFolder(), await tempFolder()];
  const id = await writeScript(scripts, 'mask', {
    entry: bash(`umask > ${notes}/mask; mkdir ${notes}/made`),
  });
  const hob = await startHob({ scripts: [scripts], wrapper: ['sh', '-c', 'umask 002; exec "$@"', 'sh'] });
  expect((await hob.run(id)).body.success).toBe(true);
  expect(await readFile(join(notes, 'mask'), 'utf8')).toBe('0002\n');
  expect((await stat(join(notes, 'made'))).mode & 0o777).toBe(0o775);
});

describe('an existing home', () => {
  it('keeps its permissions, with a warning, and the files that Hob writes there are private', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'quiet', { entry: bash('exit 0') });
    const home = await tempFolder();
    await chmod(home, 0o755);
    for (const name of ['runs', 'executor']) await mkdir(join(home, name), { mode: 0o755 });
    for (const name of ['hob.db', 'service.lock']) await writeFile(join(home, name), '', { mode: 0o644 });
    await writeFile(join(home, 'executor', 'executor.log'), 'earlier\n', { mode: 0o644 });
    const hob = await startHob({ home, scripts: [scripts], wrapper: withoutMask });
    expect((await hob.run(id)).body.success).toBe(true);
    expect((await runCli(['token', '--home', home], {}, { wrapper: withoutMask }).ended).code).toBe(0);
    expect((await stat(home)).mode & 0o777).toBe(0o755);
    expect((await stat(join(home, 'token'))).mode & 0o777).toBe(0o600);
    expect(openOnes(await entriesIn(home))).toEqual([]);
    expect(hob.log()).toMatch(/"level":40.*other users can access the home/);
    expect(await readFile(join(home, 'executor', 'executor.log'), 'utf8')).toBe('earlier\n');
  });

  it('that every user may write to is refused in one plain line', async () => {
    const home = await tempFolder();
    await chmod(home, 0o1777);
    const { code, stderr } = await runCli(['serve', '--home', home, '--port', '0']).ended;
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toMatch(/Every user of this machine can write to the home .*chmod o-w/);
    expect(await readdir(home)).toEqual([]);
  });

  it.skipIf(!canLock)('of another user is refused, even if it is writable', async () => {
    const home = await tempFolder();
    await chown(home, 12_345, ordinaryUser);
    await chmod(home, 0o770);
    const user = [`--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, '--clear-groups'];
    const { code, stderr } = await runCli(
      ['serve', '--home', home, '--port', '0'],
      { HOME: home },
      { wrapper: ['setpriv', ...user] },
    ).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/belongs to another user \(id 12345\)/);
    expect(await readdir(home)).toEqual([]);
  });

  it('with a link in place of a file of Hob is refused, and the target is unchanged', async () => {
    const refused = ['hob.db', 'service.lock', 'executor/executor.log'].map(async (name) => {
      const [home, other] = [await tempFolder(), await tempFolder()];
      const target = join(other, 'target');
      await writeFile(target, '', { mode: 0o644 });
      await mkdir(join(home, 'executor'));
      await symlink(target, join(home, name));
      const { code, stderr } = await runCli(['serve', '--home', home, '--port', '0']).ended;
      expect([name, code]).toEqual([name, 1]);
      expect(stderr).toContain(`${join(home, name)} is not a regular file`);
      expect([(await stat(target)).mode & 0o777, await readFile(target, 'utf8')]).toEqual([0o644, '']);
    });
    await Promise.all(refused);
  });
});

describe('the temporary folder', () => {
  it.each([
    ['short', 'home'],
    ['too long for a socket address', 'a-very-long-name'.repeat(7)],
  ])('contains no file of Hob if the path of the home is %s', async (_length, name) => {
    const [scripts, notes, temp] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const home = join(await tempFolder(), name);
    const hold = `touch ${notes}/held; until [ -e ${notes}/go ]; do sleep 0.05; done`;
    const id = await writeScript(scripts, 'hold', { entry: bash(`echo "$TMPDIR"; ${hold}`) });
    const typescript = await writeScript(scripts, 'typed', {
      language: 'typescript',
      entry: ['main.ts', 'const answer: number = 42;\nconsole.log(answer);\n'],
    });
    const { hob } = await startTraced({ home, scripts: [scripts], env: { TMPDIR: temp } });
    const runId = await startAsync(hob, id);
    await fileThere(join(notes, 'held'));
    expect((await hob.run(typescript)).body).toMatchObject({ success: true, stdout: '42\n' });
    expect(await readdir(temp)).toEqual([]);

    // The next executor removes the socket of a killed one.
    const executor = await executorPid(home);
    process.kill(executor, 'SIGKILL');
    await untilGone(executor);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'lost', stdout_bytes: temp.length + 1 });
    const sockets = async () =>
      (await readdir(join(home, 'executor'))).filter((each) => /\.sock$/.test(each));
    await until('there is only a new executor', async () => {
      const [only, ...others] = await sockets();
      return only !== undefined && others.length === 0 && Number.parseInt(only, 10) !== executor;
    });
    await hob.stop();
    await until('its socket is removed', async () => (await sockets()).length === 0);
    expect(await readdir(temp)).toEqual([]);
  });
});
