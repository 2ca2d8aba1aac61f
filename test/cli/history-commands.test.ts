import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type CommandScene, english, launchScene } from '../support/command-scene.ts';
import { runCli } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const ids = {
  tidy: '10000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  lines: '20000000-8f43-4b0e-9d0e-3f2d6a1f7c12',
  chain: '30000000-8f43-4b0e-9d0e-3f2d6a1f7c13',
  forever: '40000000-8f43-4b0e-9d0e-3f2d6a1f7c14',
  much: '60000000-8f43-4b0e-9d0e-3f2d6a1f7c16',
  twin: '50000000-8f43-4b0e-9d0e-3f2d6a1f7c15',
};

let scene: CommandScene;
/** Runs that exist before the tests. */
const runs = { tidy: '', lines: '', chain: '', much: '' };

beforeAll(async () => {
  scene = await launchScene(async (scripts) => {
    await writeScript(scripts, 'tidy', {
      id: ids.tidy,
      name: '整理下载',
      node: true,
      entry: bash('echo no room >&2; exit 3'),
    });
    await writeScript(scripts, 'lines', {
      id: ids.lines,
      name: 'Many lines',
      entry: bash('seq 1 30; seq 101 130 >&2; echo \'{"code":0,"msg":"counted"}\' > "$output"'),
      tables: `
[[service.inputs]]
name = "names"
type = "list"
pick = "files"
[[service.params]]
name = "step"
type = "int"
default = 1
description = "How far apart."
[[service.params]]
name = "key"
type = "str"
secret = true
`,
    });
    await writeScript(scripts, 'chain', {
      id: ids.chain,
      name: 'Chain',
      language: 'python',
      entry: python(`call("/api/link", {"script_id": "${ids.tidy}"})`),
    });
    await writeScript(scripts, 'forever', {
      id: ids.forever,
      name: 'Forever',
      entry: bash('echo begun; exec sleep 600'),
    });
    await writeScript(scripts, 'much', { id: ids.much, name: 'Much', entry: bash('seq 200000') });
    await writeScript(scripts, 'broken one', { id: 'no-id', name: 'Broken' });
  });
  const runOf = async (id: string, rest = {}) =>
    (await scene.hob.run(id, rest)).headers.get('x-hob-run-id') ?? '';
  runs.much = await runOf(ids.much);
  runs.tidy = await runOf(ids.tidy);
  runs.lines = await runOf(ids.lines, { params: { key: 'hush' } });
  runs.chain = await runOf(ids.chain);
});
afterAll(() => scene.stop());

async function ended(...args: string[]) {
  return scene.cli(...args).ended;
}

describe('hob list', () => {
  it('shows every script, and the problems of those that cannot run', async () => {
    const { code, stdout } = await ended('list');
    expect(code).toBe(0);
    const [header = '', ...lines] = stdout.split('\n');
    expect(header).toMatch(/^NAME +SLUG +LANGUAGE +NODE +ID +DESCRIPTION$/);
    expect(lines).toContain('整理下载    zheng-li-xia-zai  bash      yes   10000000');
    expect(stdout).toContain(`${join(scene.scripts, 'broken one')}\n    id must be a UUID`);
    expect((await ended('list', 'nothing like it')).stdout).toContain('No matching scripts.');
  });

  it('searches without case, and prints the matches as JSON', async () => {
    const { stdout } = await ended('list', '整理', '--json');
    expect(JSON.parse(stdout).scripts).toMatchObject([{ id: ids.tidy }]);
    expect(JSON.parse((await ended('list', 'MANY', '--json')).stdout).scripts).toMatchObject([
      { id: ids.lines },
    ]);
  });
});

describe('hob where', () => {
  it('prints the folder of a script, as text or JSON', async () => {
    const folder = join(scene.scripts, 'lines');
    expect(await ended('where', 'many')).toMatchObject({ code: 0, stdout: `${folder}\n`, stderr: '' });
    expect(JSON.parse((await ended('where', ids.lines, '--json')).stdout)).toEqual({ folder });
    const { code, stderr } = await ended('where', 'nothing like it');
    expect([code, stderr]).toEqual([1, expect.stringContaining('hob list')]);
  });
});

describe('hob show', () => {
  it('shows the input, params and recent runs of a script, and how to run it', async () => {
    const { code, stdout } = await ended('show', 'many');
    expect(code).toBe(0);
    for (const seen of [
      `ID        ${ids.lines}\n`,
      `Folder    ${join(scene.scripts, 'lines')}\n`,
      '  names  file paths\n',
      '  step  int, default 1. How far apart.\n',
      '  key   str, secret\n',
      `  ${runs.lines.slice(0, 8)}  succeeded  `,
      'Slug      many-lines\n',
      '  hob run many-lines <files>\n',
      `curl -sS ${scene.hob.url}/api/scripts/many-lines/runs `,
    ])
      expect(stdout).toContain(seen);
  });

  it('shows the record of a run', async () => {
    const { code, stdout } = await ended('show', runs.tidy.slice(0, 8));
    expect(code).toBe(0);
    expect(stdout).toContain(`Script     整理下载 (${ids.tidy})\nState      failed\n`);
    // The recorded message is Chinese, because the caller named no language.
    expect(stdout).toContain('整理下载: The script failed with exit code 3');
    expect(stdout).toContain(`hob logs ${runs.tidy}\n`);
    expect(JSON.parse((await ended('show', runs.tidy, '--json')).stdout)).toMatchObject({
      run_id: runs.tidy,
    });
  });
});

describe('a script', () => {
  it('can be named by its folder', async () => {
    expect(JSON.parse((await ended('show', 'LINES', '--json')).stdout)).toMatchObject({ id: ids.lines });
  });

  it('that cannot run is reported as broken, not as missing', async () => {
    const { code, stderr } = await ended('run', 'Broken one');
    expect(code).toBe(1);
    expect(stderr).toContain('broken one cannot run: id must be a UUID');
    expect((await ended('run', 'nobody')).stderr).toContain(
      'Some scripts cannot run. hob list shows the reasons.',
    );
  });

  it('that was copied cannot run, and both folders are listed', async () => {
    const folders = ['twin', 'twin copy'].map((name) => join(scene.scripts, name));
    for (const name of ['twin', 'twin copy'])
      await writeScript(scene.scripts, name, { id: ids.twin, name: 'Twin', entry: bash('echo twin') });
    await until('both are seen', async () => {
      const { body } = await scene.hob.get('/api/scripts');
      return JSON.stringify(body).split(ids.twin).length > 2;
    });
    const { code, stderr } = await ended('run', 'Twin');
    for (const folder of folders) await rm(folder, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toContain('Several scripts have the same id');
    for (const folder of folders) expect(stderr).toContain(`\n  ${folder}\n`);
  });
});

describe('hob runs', () => {
  it('lists the newest run first and applies the filters', async () => {
    const { stdout } = await ended('runs', '--failed', '--script', '整理', '--since', '1h');
    expect(stdout).toMatch(/^RUN +SCRIPT +STATE +QUEUED AT +DURATION +MESSAGE\n/);
    const lines = stdout.trimEnd().split('\n').slice(1);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(new RegExp(`^${runs.tidy.slice(0, 8)}  整理下载  failed `));
    const found = JSON.parse((await ended('runs', '-q', 'COUNTED', '--json')).stdout);
    expect(found.items).toMatchObject([{ run_id: runs.lines }]);
    expect((await ended('runs', '-q', 'nothing like it')).stdout).toBe('No matching runs.\n');
  });

  it.each([
    [['runs', '--state', 'asleep'], 2],
    [['runs', '--limit', '0'], 2],
    [['runs', '--since', 'yesterday'], 2],
    [['logs', 'xyz'], 1],
    [['logs', 'last', 'nobody'], 1],
    [['notify', 'warning', 'x'], 2],
  ])('%j is refused with %i', async (args, expected) => {
    const { code, stdout, stderr } = await ended(...args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).not.toBe('');
  });
});

describe('hob logs', () => {
  it('prints stdout and stderr separately, or the last lines of one', async () => {
    const all = await ended('logs', runs.lines.slice(0, 8));
    expect(all.code).toBe(0);
    expect(all.stdout.split('\n').slice(0, 2)).toEqual(['1', '2']);
    expect(all.stderr).toMatch(/^101\n(?:.*\n)*130\n$/);
    const tail = await ended('logs', 'last', 'many', '--tail', '2');
    expect([tail.stdout, tail.stderr]).toEqual(['29\n30\n', '129\n130\n']);
    const one = await ended('logs', runs.lines, '--stderr', '--tail', '1');
    expect([one.stdout, one.stderr]).toEqual(['', '130\n']);
  });

  it('prints one JSON object, or with --follow one JSON line per event', async () => {
    const whole = JSON.parse((await ended('logs', runs.lines, '--tail', '1', '--json')).stdout);
    expect(whole).toEqual({ run_id: runs.lines, stdout: '30\n', stderr: '130\n' });
    const followed = await ended('logs', runs.lines, '-f', '--stderr', '--tail', '2', '--json');
    const lines = followed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({
      type: 'run.output',
      run_id: runs.lines,
      stream: 'stderr',
      text: '129\n130\n',
    });
    expect(lines.at(-1)).toMatchObject({ type: 'run.ended', run_id: runs.lines });
    expect(lines.filter(({ type }) => type === 'run.output')).toHaveLength(1);
    expect(followed.stderr).toBe('');
    const notes = JSON.parse((await ended('logs', runs.lines, '--notes', '--json')).stdout);
    expect(notes).toEqual({ run_id: runs.lines, notes: expect.any(String) });
  });

  it('uses the last run by default, or the last run of a script', async () => {
    expect((await ended('logs', 'many', '--stdout', '--tail', '1')).stdout).toBe('30\n');
    expect((await ended('logs', ids.lines, '--stdout', '--tail', '1')).stdout).toBe('30\n');
    const last = await ended('logs');
    expect(last).toMatchObject({ code: 0, stdout: '' });
    // The run has no output, so its result is shown instead.
    expect(last.stderr).toContain('Chain: succeeded');
  });

  it('takes last for the last run without a parent', async () => {
    expect((await ended('tree', 'last', '--json')).stdout).toContain(`"run_id": "${runs.chain}"`);
  });

  it('follows a run from its last lines to its end, which hob cancel causes', async () => {
    const started = await ended('run', 'forever', '--async');
    const runId = started.stdout.trim();
    const follower = scene.cli('logs', runId, '-f', '--tail', '1');
    await until('it has begun', async () => follower.output.stdout === 'begun\n');
    const cancelled = await ended('cancel', runId.slice(0, 8));
    expect(cancelled).toMatchObject({ code: 0, stdout: `Cancelled Forever (run ${runId}).\n` });
    const { code, stdout, stderr } = await follower.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'begun\n' });
    expect(stderr).toContain('Forever: The run was cancelled');
    const again = await ended('cancel', runId);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain(`hob show ${runId}`);
    const found = JSON.parse((await ended('runs', '--state', 'cancelled', '--json')).stdout);
    expect(found.items).toMatchObject([{ run_id: runId }]);
  });
});

describe('the output of a command', () => {
  it('is complete, even if it is read slowly', async () => {
    const whole = await runCli(
      ['logs', runs.much, '--json'],
      { ...english, HOB_HOME: scene.hob.home },
      {
        wrapper: ['sh', '-c', '"$@" | (sleep 0.5; wc -c)', 'sh'],
      },
    ).ended;
    expect(Number(whole.stdout)).toBeGreaterThan(1_000_000);
  });

  it('that cannot be written makes the command fail', async () => {
    for (const args of [['runs', '--json'], ['list'], ['logs', runs.lines]]) {
      const { code, stderr } = await runCli(
        args,
        { ...english, HOB_HOME: scene.hob.home },
        {
          wrapper: ['sh', '-c', '"$@" > /dev/full', 'sh'],
        },
      ).ended;
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toContain('hob: Cannot write the output (ENOSPC).');
    }
  });

  it('ends a follower whose stdout is closed', async () => {
    const { stdout: runId } = await ended('run', 'forever', '--async');
    const follower = runCli(
      ['logs', runId.trim(), '-f'],
      { ...english, HOB_HOME: scene.hob.home },
      {
        wrapper: ['sh', '-c', '"$@" 2> /dev/null | head -n 1', 'sh'],
      },
    );
    await until('it has begun', async () => follower.output.stdout === 'begun\n');
    // The next byte finds a closed pipe.
    await ended('cancel', runId.trim());
    expect((await follower.ended).code).toBe(0);
  });

  it.each([['frob'], ['--json', 'list'], ['remove', 'x'], ['run', 'many', '--quality', '3']])(
    'after a usage error suggests a command, and the exit code is 2',
    async (...args) => {
      const { code, stderr } = await ended(...args);
      expect(code).toBe(2);
      expect(stderr).toContain('hob ');
    },
  );
});

describe('hob rerun', () => {
  it('requires secrets again, and follows the new run with --follow', async () => {
    const refused = await ended('rerun', runs.lines);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('-p key=@file');
    await writeFile(join(scene.folder, 'key'), 'hush');
    const { code, stdout, stderr } = await ended(
      'rerun',
      runs.lines,
      '-p',
      'key=@key',
      '-p',
      'step=2',
      '--follow',
    );
    expect({ code, first: stdout.slice(0, 4) }).toEqual({ code: 0, first: '1\n2\n' });
    const [, runId = ''] = /run ([0-9a-f-]{36})\n$/.exec(stderr) ?? [];
    expect(await scene.hob.ended(runId)).toMatchObject({ origin: 'cli', params: { step: 2 } });
  });
});

describe('hob tree, stats, open and notify', () => {
  it('draw the tree of runs', async () => {
    const { stdout } = await ended('tree', runs.chain);
    expect(stdout).toMatch(
      /^SCRIPT +STATE +DURATION +RUN\nChain +succeeded .+<- this run\n└─ 整理下载 +failed .+\n$/,
    );
  });

  it('count runs and draw bars of successes and failures', async () => {
    const { stdout } = await ended('stats', '--days', '2');
    expect(stdout).toMatch(/\n整理下载 +2 +0% .* x+\n/);
    expect(stdout).toMatch(/\nChain +1 +100% .* =+\n/);
  });

  it('print the URL of a run', async () => {
    const { code, stdout } = await ended('open', runs.tidy.slice(0, 8), '--print');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${scene.hob.url}/runs/${runs.tidy}\n` });
    expect((await ended('open', '--print')).stdout).toBe(`${scene.hob.url}/\n`);
    expect(JSON.parse((await ended('open', '--print', '--json')).stdout)).toEqual({
      url: `${scene.hob.url}/`,
    });
  });

  it('show a notification', async () => {
    expect(await ended('notify', 'info', '水开了', '--title', 'Tea')).toMatchObject({ code: 0, stdout: '' });
    const { body } = await scene.hob.get('/api/notifications');
    expect(body.items).toMatchObject([{ notify_type: 'info', message: 'Tea\n水开了' }]);
  });

  it('speak Chinese in a Chinese locale', async () => {
    const env = { LC_ALL: 'zh_CN.UTF-8', HOB_HOME: scene.hob.home };
    const { stdout } = await runCli(['tree', runs.chain], env).ended;
    expect(stdout).toMatch(/^脚本 +状态 +耗时 +运行\nChain +成功 .+<- 此运行\n└─ 整理下载 +失败 /);
  });
});
