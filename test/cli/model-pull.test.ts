import { describe, expect, it } from 'vitest';

import type { DownloadView } from '../../src/models/downloads/download.ts';
import { AppError } from '../../src/shared/errors.ts';
import { announceService } from '../../src/shared/service-file.ts';
import { appInProcess, openGuarded } from '../support/app-in-process.ts';
import { runCli, tempFolder } from '../support/hob.ts';
import { MemoryDownloads } from '../support/memory-downloads.ts';
import { hasTerminal, runInTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const repo = { owner: 'acme', name: 'tiny' };

/** A home with a fake download service, and the command that uses it. */
async function open(tables = '') {
  const downloads = new MemoryDownloads();
  const { app, script } = await appInProcess({ downloads, tables });
  const { url, server } = await openGuarded(app);
  const home = await tempFolder();
  await announceService(home, { url, version: '0.0.0', token: false });
  const model = (...args: string[]) => runCli(['model', ...args, '--home', home]);
  /** Waits for the n-th download. */
  const begun = (count: number): Promise<DownloadView> =>
    until(`${count} downloads were begun`, async () => downloads.list().reverse()[count - 1]);
  const finish = (id: string, change: Partial<DownloadView> = {}) =>
    downloads.step(id, {
      state: 'done',
      bytesDone: 2_900_000_000,
      bytesTotal: 2_900_000_000,
      filesDone: 12,
      filesTotal: 12,
      endedAt: '2026-05-01T12:01:15.000Z',
      folder: '/models/tiny',
      ...change,
    });
  return { downloads, script, server, home, model, begun, finish };
}

type Cli = ReturnType<typeof runCli>;

/** Waits until a command has written something to stderr. */
function printed({ output }: Cli, text: string): Promise<unknown> {
  return until(`it says ${text}`, async () => output.stderr.includes(text));
}

describe('hob model pull', () => {
  it('prints progress lines, and finally the folder of the model', async () => {
    const { downloads, model, begun, finish } = await open();
    const cli = model('pull', 'acme/tiny', '--files', '*.onnx', 'config.json', '--revision', 'v1');
    const { id } = await begun(1);
    await printed(cli, 'acme/tiny: listing files\n');
    downloads.step(id, {
      bytesDone: 300_000_000,
      bytesTotal: 2_900_000_000,
      filesTotal: 12,
      bytesPerSecond: 38_100_000,
      secondsLeft: 68,
    });
    await printed(cli, 'acme/tiny: 10%, 300 MB of 2.9 GB, 38.1 MB/s, 1:08 left, 0/12 files\n');
    finish(id);
    const { code, stdout } = await cli.ended;
    expect(stdout).toBe('Downloaded acme/tiny to /models/tiny (2.9 GB in 12 files, 1:15)\n');
    expect(code).toBe(0);
    expect(downloads.requests).toEqual([
      { repo, source: 'huggingface', files: ['*.onnx', 'config.json'], revision: 'v1' },
    ]);
  });

  it('prints the finished download as JSON', async () => {
    const { model, begun, finish } = await open();
    const cli = model('pull', 'acme/tiny', '--source', 'modelscope', '--json');
    finish((await begun(1)).id);
    const { code, stdout } = await cli.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      repo_id: 'acme/tiny',
      source: 'modelscope',
      state: 'done',
      folder: '/models/tiny',
    });
  });

  it.each([[['acme/tiny', '--source', 'moon']], [['acme/tiny', '--revision', 'a b']], [['a--b/c']]])(
    '%j is a usage error: 2',
    async (args) => {
      const { model } = await open();
      expect(await model('pull', ...args).ended).toMatchObject({ code: 2, stdout: '' });
    },
  );

  it('reports why a download failed and what to do, and exits with 1', async () => {
    const { downloads, model, begun } = await open();
    const cli = model('pull', 'acme/tiny');
    const error = new AppError(
      'resources-exhausted',
      { en: 'The disk is full\u001b[2J', zh: '磁盘已满' },
      { hint: { en: 'Make room.', zh: '请清理磁盘。' } },
    );
    downloads.step((await begun(1)).id, { state: 'failed', error });
    const { code, stdout, stderr } = await cli.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('hob: Failed to download acme/tiny: The disk is full?[2J\nMake room.\n');
  });

  it('cancels the download on Ctrl-C and says that the downloaded part is kept', async () => {
    const { downloads, model, begun } = await open();
    const cli = model('pull', 'acme/tiny');
    const { id } = await begun(1);
    await printed(cli, 'listing files');
    cli.child.kill('SIGINT');
    const { code, stdout, stderr } = await cli.ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain('hob: Cancelled the download of acme/tiny.');
    expect(stderr).toContain('The downloaded part is kept. To resume, run the same command again.');
    expect(downloads.find(id)?.state).toBe('cancelled');
  });

  it('leaves the download of another client running on Ctrl-C and says how to cancel it', async () => {
    const { downloads, model } = await open();
    const { id } = downloads.start({ repo, source: 'huggingface', files: [], revision: null }).download;
    const cli = model('pull', 'acme/tiny');
    await printed(cli, 'listing files');
    cli.child.kill('SIGINT');
    const { code, stderr } = await cli.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('acme/tiny is already being downloaded.');
    expect(stderr).toContain('hob model cancel acme/tiny');
    expect(downloads.find(id)?.state).toBe('running');
    expect(await model('cancel', 'acme/tiny').ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Cancelled the download of acme/tiny.'),
    });
    expect(downloads.find(id)?.state).toBe('cancelled');
    expect(await model('cancel', 'acme/tiny').ended).toMatchObject({
      code: 1,
      stderr: 'hob: No download of acme/tiny is in progress.\n',
    });
  });

  it('exits with 1 if the service is gone, and says how to resume', async () => {
    const { server, model, begun } = await open();
    const cli = model('pull', 'acme/tiny');
    await begun(1);
    await printed(cli, 'listing files');
    server.close();
    server.closeAllConnections();
    const { code, stderr } = await cli.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('No response from Hob');
    expect(stderr).toContain('To resume, start Hob and run the same command again.');
  });

  it.runIf(hasTerminal)('redraws one line on a terminal and removes it at the end', async () => {
    const { downloads, home, begun, finish } = await open();
    const session = runInTerminal(['model', 'pull', 'acme/tiny', '--home', home]);
    const { id } = await begun(1);
    const line = async (part: string) => {
      await until(`it shows ${part}`, async () => session.lines().at(-1)?.includes(part));
      return session.lines().at(-1);
    };
    expect(await line('listing')).toBe('acme/tiny  listing files ...');
    const step = { bytesTotal: 2_900_000_000, filesTotal: 12, bytesPerSecond: 38_100_000, secondsLeft: 68 };
    downloads.step(id, { ...step, bytesDone: 300_000_000 });
    expect(await line('10%')).toBe(
      'acme/tiny  [=>               ]  10%   300 MB of 2.9 GB  38.1 MB/s   1:08 left',
    );
    downloads.step(id, { ...step, bytesDone: 1_500_000_000, bytesPerSecond: null, secondsLeft: null });
    expect((await line('51%'))?.trimEnd()).toBe('acme/tiny  [========>        ]  51%   1.5 GB of 2.9 GB');
    finish(id);
    expect(await session.ended).toBe(0);
    expect(session.lines()).toEqual(['Downloaded acme/tiny to /models/tiny (2.9 GB in 12 files, 1:15)', '']);
  });

  it.runIf(hasTerminal)('stops when Ctrl-C is typed, and removes the line', async () => {
    const { downloads, home, begun } = await open();
    const session = runInTerminal(['model', 'pull', 'acme/tiny', '--home', home]);
    const { id } = await begun(1);
    downloads.step(id, { bytesTotal: 100, bytesDone: 50 });
    await until('it is half', async () => session.lines().at(-1)?.includes('50%'));
    session.type('\u0003');
    expect(await session.ended).toBe(130);
    expect(downloads.find(id)?.state).toBe('cancelled');
    expect(session.lines()).toEqual([
      'Stopping ...',
      expect.stringContaining('hob: Cancelled the download of acme/tiny.'),
      '',
    ]);
  });
});

describe('hob model pull --for', () => {
  const tables = ['one', 'two', 'one']
    .map((name) => `[[service.models]]\nsource = "huggingface"\nrepo_id = "acme/${name}"\n`)
    .join('');

  it.each(['by its name', 'by its id'])('downloads all missing models of a script, named %s', async (how) => {
    const { downloads, script, model, begun, finish } = await open(tables);
    const cli = model('pull', '--for', how === 'by its id' ? script.toUpperCase() : 'node');
    const first = await begun(1);
    expect(downloads.requests).toHaveLength(1);
    finish(first.id);
    const second = await begun(2);
    downloads.step(second.id, { state: 'failed' });
    const { code, stdout, stderr } = await cli.ended;
    expect(stderr).toContain('node needs 2 models: 0 downloaded, 2 missing.\n');
    expect(stdout).toMatch(/^Downloaded acme\/one to .*\n$/);
    expect(stderr).toContain('Failed to download acme/two: ');
    expect(stderr).toContain('hob: 1 of 2 models could not be downloaded.\n');
    expect(code).toBe(1);
  });

  it('reports an invalid model name', async () => {
    const { model } = await open('[[service.models]]\nsource = "huggingface"\nrepo_id = "no model"\n');
    const { code, stderr } = await model('pull', '--for', 'node').ended;
    expect(code).toBe(1);
    expect(stderr).toContain(
      'Failed to download no model: repo_id is missing or not of the form owner/name.',
    );
  });

  it('does nothing for a script without models', async () => {
    const { model } = await open();
    const { code, stderr } = await model('pull', '--for', 'node').ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'node declares no models.\n' });
  });

  it('requires the exact name of the script', async () => {
    const { model } = await open(tables);
    for (const name of ['Node', 'nod', '']) {
      const { code, stderr } = await model('pull', '--for', name).ended;
      expect(code).toBe(1);
      expect(stderr).toContain(`No script has the id, slug or name "${name}"`);
    }
  });
});
