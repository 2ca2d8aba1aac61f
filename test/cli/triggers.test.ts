import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type CommandScene, launchScene } from '../support/command-scene.ts';
import { runCli, tempFolder } from '../support/hob.ts';
import { bash, writeScript } from '../support/scripts.ts';

const id = '10000000-8f43-4b0e-9d0e-3f2d6a1f7c31';
let scene: CommandScene;

beforeAll(async () => {
  scene = await launchScene(async (scripts) => {
    await writeScript(scripts, 'tidy', {
      id,
      name: 'Tidy files',
      entry: bash('echo tidied; echo \'{"code":0,"msg":"done"}\' > "$output"'),
      tables: `
[[service.inputs]]
name = "files"
type = "list"
pick = "files"
[[service.params]]
name = "level"
type = "int"
default = 1
[[service.params]]
name = "key"
type = "str"
secret = true
[[service.params]]
name = "event"
type = "dict"
[[service.triggers.schedule]]
name = "nightly"
cron = "30 2 * * *"
params = { level = 3 }
[[service.triggers.folder]]
name = "inbox"
filters = [".txt"]
`,
    });
    await writeScript(scripts, 'plain', { name: 'Plain' });
    await writeScript(scripts, 'flaky', { name: 'Flaky', entry: bash('exit 3') });
  });
});
afterAll(() => scene.stop());

/** Runs `hob triggers` and expects success. */
async function triggers(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await scene.cli('triggers', ...args).ended;
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

/** Runs `hob triggers` and expects this failure. */
async function refused(code: number, ...args: string[]): Promise<string> {
  const ended = await scene.cli('triggers', ...args).ended;
  expect({ args, code: ended.code, stdout: ended.stdout }).toEqual({ args, code, stdout: '' });
  return ended.stderr;
}

async function fieldsOf(trigger: string): Promise<unknown> {
  return (await scene.hob.get(`/api/triggers/${trigger}`)).body.fields;
}

describe('hob triggers', () => {
  it('says how to begin, and which triggers the scripts suggest', async () => {
    const home = await tempFolder();
    expect(await triggers()).toMatch(/^There are no triggers yet\. .*\n\nSuggested by your scripts/);
    const stdout = await triggers('list');
    expect(stdout).toContain('hob triggers add tidy-files --from nightly\n');
    expect(stdout).toContain('hob triggers add tidy-files --from inbox --folder <folder>\n');
    const { code, stderr } = await runCli(['triggers', '--home', home]).ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('Hob is not running')]);
  });

  it('adds, shows, pauses, resumes, fires and removes a trigger', async () => {
    const added = await triggers(
      'add',
      'tidy',
      '--cron',
      '30 2 * * *',
      '--timezone',
      'Asia/Tokyo',
      '--id',
      'night',
    );
    expect(added).toContain(`Added the trigger night to ${join(scene.hob.home, 'triggers.toml')}\n`);
    expect(await readFile((await triggers('path')).trim(), 'utf8')).toContain('id = "night"');
    expect(await triggers()).toMatch(/^night +schedule +Tidy files +on /m);
    expect(await triggers('pause', 'night')).toBe('The trigger night is paused.\n');
    expect(await triggers()).toMatch(/^night +schedule +Tidy files +paused /m);
    expect(await triggers('resume', 'night')).toMatch(/^The trigger night is on/);

    const run = (await triggers('fire', 'night')).trim();
    expect(await scene.hob.ended(run)).toMatchObject({
      origin: 'schedule',
      trigger_id: 'night',
      state: 'succeeded',
    });
    const waited = await scene.cli('triggers', 'fire', 'night', '--wait').ended;
    expect(waited).toMatchObject({
      code: 0,
      stdout: 'tidied\n',
      stderr: expect.stringContaining('Tidy files: succeeded'),
    });
    expect((await triggers('slots', 'night')).split('\n')).toHaveLength(4);
    expect(await triggers('slots', 'night', '--limit', '1')).toContain(
      'There are more. Use --limit to show them.',
    );
    const shown = await triggers('show', 'night');
    expect(shown).toContain('  cron = "30 2 * * *"\n  timezone = "Asia/Tokyo"\n');
    expect(shown).toContain(run);
    expect(JSON.parse(await triggers('slots', 'night', '--json')).items).toHaveLength(2);

    expect(await triggers('remove', 'night')).toBe('The trigger was removed.\n');
    expect(await triggers()).not.toContain('night ');
  });

  it('passes its options on as fields, and makes paths absolute', async () => {
    await triggers(
      'add',
      'tidy',
      '--every',
      '15m',
      '--id',
      'often',
      '--missed',
      'all',
      '--missed-within',
      '2d',
      '--overlap',
      'queue',
      '--jitter',
      '1m',
      '--attempts',
      '3',
      '--backoff',
      '30s',
      '-p',
      'level=2',
      '--data',
      'a.txt',
      '--paused',
    );
    expect(await fieldsOf('often')).toEqual({
      id: 'often',
      script: 'tidy-files',
      kind: 'schedule',
      every: '15m',
      missed: 'all',
      missed_within: '2d',
      overlap: 'queue',
      jitter: '1m',
      retries: { attempts: 3, backoff: '30s' },
      params: { level: 2 },
      data: [join(scene.folder, 'a.txt')],
      enabled: false,
    });
    const added = await triggers(
      'add',
      'tidy',
      '--folder',
      '收件 箱',
      '--filter',
      '.txt',
      '--filter',
      'md',
      '--recursive',
      '--after',
      'move',
    );
    expect(await fieldsOf('tidy-files')).toMatchObject({
      kind: 'folder',
      path: join(scene.folder, '收件 箱'),
      filters: ['.txt', 'md'],
      recursive: true,
      after: 'move',
    });
    expect(added).toContain(
      `The folder ${join(scene.folder, '收件 箱')} does not exist yet.\n  Hob starts as soon as it appears.`,
    );
    expect(added).toContain(`To try it now, copy a file to ${join(scene.folder, '收件 箱')}\n`);
    expect(added).not.toContain('hob triggers fire');
    expect(await triggers('pause', 'often', 'tidy-files')).toBe(
      'The trigger often is paused.\nThe trigger tidy-files is paused.\n',
    );
    await triggers('rm', 'often');
    await triggers('delete', 'tidy-files');
  });

  it('fires a folder trigger only with files, whose paths it makes absolute', async () => {
    await triggers('add', 'tidy', '--folder', scene.folder, '--filter', '.none', '--id', 'box');
    expect(await refused(2, 'fire', 'box')).toContain('hob triggers fire box --data FILE');
    const run = (await triggers('fire', 'box', '--data', 'a.none', '--data', '/b.none')).trim();
    expect(await scene.hob.ended(run)).toMatchObject({
      origin: 'folder',
      data: { files: [join(scene.folder, 'a.none'), '/b.none'] },
    });
    await triggers('remove', 'box');
  });

  it('leaves the home folder at the beginning of a path to the service', async () => {
    await triggers('add', 'tidy', '--folder=~/No such inbox', '--paused');
    expect(await fieldsOf('tidy-files')).toMatchObject({ path: '~/No such inbox' });
    await triggers('remove', 'tidy-files');
  });

  it('shows the attempts of a run, and that another one follows', async () => {
    await triggers('add', 'flaky', '--cron', '@yearly', '--id', 'slow', '--attempts', '2', '--backoff', '1h');
    const { code, stderr } = await scene.cli('triggers', 'fire', 'slow', '--wait').ended;
    expect(code).toBe(1);
    const [, run = ''] = /^run (\S+)$/m.exec(stderr) ?? [];
    const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d';
    expect(stderr).toMatch(
      new RegExp(`^Another attempt follows at ${time}\\. To prevent it: hob cancel ${run}$`, 'm'),
    );
    expect((await scene.cli('show', run).ended).stdout).toMatch(
      new RegExp(`^Trigger +slow\nAttempt +1\nNext attempt +${time}$`, 'm'),
    );
    const cancelled = await scene.cli('cancel', run).ended;
    expect(cancelled).toMatchObject({ code: 0, stdout: `Flaky is not tried again (run ${run}).\n` });
    expect((await scene.cli('show', run).ended).stdout).not.toContain('attempt');
    await triggers('remove', 'slow');

    await triggers('add', 'flaky', '--cron', '@yearly', '--id', 'fast', '--attempts', '2', '--backoff', '1s');
    const first = (await triggers('fire', 'fast')).trim();
    const attempts = async () =>
      (await scene.hob.get(`/api/runs/${first}/attempts`)).body.runs as { run_id: string }[];
    await expect.poll(async () => (await attempts()).length).toBe(2);
    await triggers('remove', 'fast');
    const second = (await attempts())[1]?.run_id ?? '';
    expect((await scene.cli('show', second).ended).stdout).toMatch(
      new RegExp(`^Trigger +fast\nAttempt +2 \\(first: ${first}\\)$`, 'm'),
    );
  });

  it('takes the values of a suggestion, and adds to its params', async () => {
    await triggers('add', 'tidy', '--from', 'nightly');
    expect(await fieldsOf('tidy-files-nightly')).toEqual({
      id: 'tidy-files-nightly',
      script: 'tidy-files',
      kind: 'schedule',
      from: 'package:nightly',
    });
    await triggers('add', 'tidy', '--from', 'nightly', '--param', 'key=x');
    expect(await fieldsOf('tidy-files-nightly-2')).toMatchObject({ params: { level: 3, key: 'x' } });
    expect(await triggers()).not.toContain('--from nightly');
    expect(await refused(2, 'add', 'tidy', '--from', 'weekly')).toContain('It suggests: nightly, inbox.');
    expect(await refused(2, 'add', 'plain', '--from', 'weekly')).toContain('suggests no triggers');
    await triggers('remove', 'tidy-files-nightly');
    await triggers('remove', 'tidy-files-nightly-2');
  });

  it('stores nothing in a dry run', async () => {
    const stdout = await triggers('add', 'tidy', '--cron', '30 12 * * *', '--dry-run');
    expect(stdout).toMatch(
      /^When: every day at 12:30\nNext \(in local time, .+\):\n(?: {2}\w{3} \d{4}-\d\d-\d\d 12:30 {2}in \d+ \w+\n){5}Nothing was stored\.\n$/,
    );
    const answer = JSON.parse(await triggers('add', 'tidy', '--cron', '@daily', '--dry-run', '--json'));
    expect(answer).toMatchObject({ id: 'tidy-files', words: 'every day at 00:00', problems: [] });
    expect(answer.next).toHaveLength(5);
    expect(JSON.parse(await triggers('--json')).items).toEqual([]);
  });

  it('refuses what it cannot use, with the next step', async () => {
    const cases: [string[], number, string][] = [
      [['add', 'tidy'], 2, 'What starts the script? Add one of: --cron'],
      [['add', 'tidy', '--cron', '@daily', '--folder', '.'], 2, 'A trigger has one kind.'],
      [['add', 'tidy', '--cron', '61 * * * *'], 2, '"61" is not valid in the field for the minute'],
      [['add', 'tidy', '--cron', '@daily', '--settle', '1s'], 2, 'A schedule has no field settle'],
      [['add', 'tidy', '--cron', '@daily', '--backoff', '1m'], 2, '--backoff needs --attempts'],
      [['add', 'tidy', '--every', 'soon'], 2, 'is not a duration'],
      [['add', 'tidy', '--cron', '@daily', '--id', 'No!'], 2, 'id "No!" cannot be used'],
      [['add', 'plain', '--cron', '@daily', '--data', 'x'], 2, 'Plain has no main input'],
      [['add', 'plain', '--folder', '.'], 2, 'no main input'],
      [['add', 'tidy', '--cron', '@daily', '-p', 'levle=1'], 2, 'Did you mean level?'],
      [['add', 'nothing', '--cron', '@daily'], 1, 'No script matches "nothing"'],
      [
        ['add', 'tidy', '--webhook'],
        2,
        'Store it: hob secret set tidy-files, or generate one: add --new-secret',
      ],
      [
        ['add', 'tidy', '--webhook', '--signature', 'stripe', '--new-secret'],
        2,
        'Stripe creates the secret itself.',
      ],
      [['pause', 'nope'], 1, 'There is no trigger "nope".'],
      [['fire', 'nope'], 1, 'To list all triggers: hob triggers'],
      [['slots', 'nope', '--limit', '0'], 2, 'Expected an integer from 1 to 500.'],
    ];
    await Promise.all(
      cases.map(async ([args, code, said]) => expect(await refused(code, ...args)).toContain(said)),
    );
  });

  it.each(['folder', 'filter', 'from', 'id', 'cron', 'every', 'missed-within', 'secret', 'into'])(
    'refuses an empty --%s',
    async (name) => {
      expect(await refused(2, 'add', 'tidy', `--${name}`, '', '--dry-run')).toContain(
        `The value of --${name} is empty.`,
      );
    },
  );

  it('refuses an empty path as the main input', async () => {
    expect(await refused(2, 'add', 'tidy', '--cron', '@daily', '--data', '', '--dry-run')).toContain(
      'The value of --data is empty.',
    );
  });

  it('refuses an id that is taken', async () => {
    await triggers('add', 'tidy', '--cron', '@daily', '--id', 'mine');
    expect(await refused(2, 'add', 'tidy', '--cron', '@hourly', '--id', 'mine')).toContain(
      'There already is a trigger "mine".',
    );
    expect(await refused(1, 'remove', 'mien')).toContain('Did you mean "mine"?');
    expect(await fieldsOf('mine')).toMatchObject({ cron: '@daily' });
    await triggers('remove', 'mine');
  });

  it('gives each trigger an id of its own when several are added at the same time', async () => {
    const added = await Promise.all(
      [1, 2, 3, 4, 5].map((level) => triggers('add', 'plain', '--cron', `${level} 3 * * *`, '--json')),
    );
    const made = added.map((text): { id: string; fields: unknown } => JSON.parse(text));
    expect(new Set(made.map(({ id: own }) => own)).size).toBe(5);
    for (const { id: own, fields } of made) expect(await fieldsOf(own)).toEqual(fields);
    for (const { id: own } of made) await triggers('remove', own);
  });

  it('generates the secret of a webhook and prints it once', async () => {
    const stdout = await triggers('add', 'tidy', '--webhook', '--new-secret');
    expect(stdout).toContain('It does not work yet: No address for webhooks is set');
    expect(stdout).toContain('To try its script with an empty delivery: hob triggers fire tidy-files\n');
    const run = (await triggers('fire', 'tidy-files')).trim();
    expect(await scene.hob.ended(run)).toMatchObject({ params: { event: { headers: {}, body: null } } });
    const [, value = ''] = /^ {2}([\w-]{43})$/m.exec(stdout) ?? [];
    expect(value).not.toBe('');
    expect(await fieldsOf('tidy-files')).toMatchObject({ kind: 'webhook', secret: 'tidy-files' });
    expect(await triggers('show', 'tidy-files')).not.toContain(value);
    expect(await refused(2, 'add', 'tidy', '--webhook', '--secret', 'tidy-files', '--new-secret')).toContain(
      'is already stored',
    );
    const printed = await triggers(
      'add',
      'tidy',
      '--webhook',
      '--signature',
      'standard',
      '--new-secret',
      '--json',
    );
    const { new_secret, id: second } = JSON.parse(printed);
    expect([second, new_secret]).toEqual([
      'tidy-files-2',
      expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    ]);
    await triggers('remove', 'tidy-files');
    await triggers('remove', 'tidy-files-2');
  });

  it('shows broken entries and a broken file, with advice', async () => {
    const file = join(scene.hob.home, 'triggers.toml');
    await writeFile(file, '[[trigger]]\nid = "lost"\nscript = "gone"\nkind = "schedule"\ncron = "@daily"\n');
    await expect.poll(() => triggers()).toMatch(/^lost +schedule +gone +no script /m);
    expect(await triggers()).toContain(
      `${file}:1  error  lost: There is no script "gone"\n    Write the id or slug`,
    );
    await writeFile(file, 'broken = \n');
    await expect.poll(() => triggers()).toMatch(new RegExp(`^${file}:1  error  `));
    expect(await refused(1, 'add', 'tidy', '--cron', '@daily')).toContain('Nothing was changed.');
    const importing = scene.piped('@daily nothing', 'triggers', 'import', '-', '--write');
    expect(await importing.ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/triggers\.toml:1: .*Nothing was created\./),
    });
    expect((await scene.cli('list').ended).stdout).not.toContain('cron: nothing');
    await writeFile(file, '');
    await expect.poll(() => triggers()).toMatch(/^There are no triggers yet/);
  });
});

describe('hob triggers import', () => {
  const crontab = `MAILTO=ada@example.org
PATH=/usr/bin:/bin
15 3 * * * pwd; cat; echo "it's $PATH"%from cron
@reboot never
15 3 * * * pwd; cat; echo "it's $PATH"%from cron
`;

  it('shows the lines, and writes scripts and triggers once', async () => {
    const file = join(scene.folder, 'my crontab');
    await writeFile(file, crontab);
    const shown = await triggers('import', file);
    expect(shown).toContain(
      'Line 3: every day at 03:15\n  command: pwd; cat; echo "it\'s $PATH"\n  input: from cron\n  script: cron: pwd\n',
    );
    expect(shown).toContain('note: cron mails the output to ada@example.org.');
    expect(shown).toContain('Line 4 cannot be taken over: @reboot is not a time.');
    expect(shown).toContain(`hob triggers import '${file}' --write\n`);
    expect(JSON.parse(await triggers('--json')).items).toEqual([]);

    const written = await triggers('import', file, '--write');
    expect(written).toContain('Line 3: every day at 03:15 (created)\n');
    expect(written).toContain(
      'Remove these lines from it (crontab -e), otherwise cron runs them as well: 3, 5\n',
    );
    const again = await scene.piped(crontab, 'triggers', 'import', '-', '--write').ended;
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain('(already imported)');
    const { items } = JSON.parse(await triggers('--json'));
    expect(items).toMatchObject([{ kind: 'schedule', script_name: 'cron: pwd', state: 'on', problems: [] }]);
    expect(await readdir(join(scene.hob.home, 'scripts'))).toHaveLength(1);

    const run = await scene.hob.ended((await triggers('fire', items[0].id)).trim());
    expect(await scene.cli('logs', String(run.run_id)).ended).toMatchObject({
      stdout: `${process.env.HOME}\nfrom cron\nit's /usr/bin:/bin\n`,
    });
  });

  it('creates a deleted script again, and keeps its trigger as it is', async () => {
    const lines = 'MAILTO=""\n5 4 * * * echo lost\n6 4 * * * echo lost\n';
    const importing = (...args: string[]) => scene.piped(lines, 'triggers', 'import', '-', ...args).ended;
    const stateOf = async (trigger: string) => (await scene.hob.get(`/api/triggers/${trigger}`)).body.state;
    const planned = JSON.parse((await importing('--write', '--json')).stdout).lines;
    const [first, second] = planned.map(({ trigger_id }: { trigger_id: string }) => trigger_id);
    await triggers('pause', second);
    const fields = await fieldsOf(second);
    await rm(planned[0].folder, { recursive: true });
    await expect.poll(() => stateOf(first)).toBe('script-missing');

    const { stdout: shown } = await importing();
    expect(shown.match(/\(already imported, but its script was deleted\)/g)).toHaveLength(2);
    expect(shown).toContain('Nothing was created yet. To create the deleted scripts (2) again: ');
    expect(shown).not.toContain('Remove these lines');
    const { code, stdout } = await importing('--write');
    expect(code).toBe(0);
    expect(stdout.match(/\(script created again\)/g)).toHaveLength(2);
    expect(stdout).toContain(
      'Remove these lines from it (crontab -e), otherwise cron runs them as well: 2, 3\n',
    );
    await expect.poll(() => stateOf(first)).toBe('on');
    expect(await fieldsOf(second)).toEqual(fields);
    const run = await scene.hob.ended((await triggers('fire', first)).trim());
    expect(run).toMatchObject({ state: 'succeeded', script_id: planned[0].script_id });
    for (const trigger of [first, second]) await triggers('remove', trigger);
  });

  it('does not advise to remove the line of a trigger that does not work', async () => {
    const line = '7 4 * * * echo broken';
    const importing = (...args: string[]) => scene.piped(line, 'triggers', 'import', '-', ...args).ended;
    const [planned] = JSON.parse((await importing('--write', '--json')).stdout).lines;
    await writeFile(join(planned.folder, 'script.toml'), 'broken = ');
    const read = async () => (await scene.hob.get(`/api/triggers/${planned.trigger_id}`)).body.state;
    await expect.poll(read).toBe('script-missing');
    const { stdout } = await importing('--write');
    expect(stdout).toContain('(already imported, but it does not work)');
    expect(stdout).toContain(`  problem: There is no script "${planned.script_id}"\n`);
    expect(stdout).not.toContain('Remove these lines');
    await triggers('remove', planned.trigger_id);
    await rm(planned.folder, { recursive: true });
  });

  it('refuses a crontab that is not UTF-8, with its line and how to convert it', async () => {
    const latin1 = Buffer.from('@hourly true\n@daily echo caf\xe9\n', 'latin1');
    const file = join(scene.folder, 'latin1');
    await writeFile(file, latin1);
    const message = 'Line 2 of the crontab is not valid UTF-8. Nothing was created.';
    expect(await refused(1, 'import', file, '--write')).toContain(
      `${message} Convert it from its encoding, for example: iconv -f ISO-8859-1 -t UTF-8 ${file} | hob triggers import -\n`,
    );
    const bin = await tempFolder();
    await writeFile(join(bin, 'crontab'), `#!/bin/sh\ncat '${file}'\n`, { mode: 0o755 });
    const ofUser = await runCli(['triggers', 'import', '--write'], {
      HOB_HOME: scene.hob.home,
      PATH: `${bin}:${process.env.PATH}`,
      LC_ALL: 'C.UTF-8',
    }).ended;
    expect(ofUser).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    expect(ofUser.stderr).toContain('crontab -l | iconv ');
    expect(await triggers()).not.toContain('caf');
  });

  it('refuses a crontab that is too large', async () => {
    const file = join(scene.folder, 'large');
    await writeFile(file, '# long\n'.repeat(160_000));
    expect(await refused(1, 'import', file)).toContain('The crontab is larger than 1 MiB.');
    await writeFile(file, '@daily x\n'.repeat(10_001));
    expect(await refused(1, 'import', file)).toContain('has 10001 commands. At most 10000 can be imported.');
  });

  it('says which line failed, and why', async () => {
    const line = '@daily blocked';
    const { lines } = JSON.parse((await scene.piped(line, 'triggers', 'import', '-', '--json').ended).stdout);
    await mkdir(lines[0].folder, { recursive: true });
    const { code, stdout } = await scene.piped(line, 'triggers', 'import', '-', '--write').ended;
    expect([code, stdout]).toEqual([1, expect.stringContaining('already exists and was not changed')]);
  });

  it('reads crontab -l, and explains what is missing', async () => {
    const bin = await tempFolder();
    const importWith = (path: string) =>
      runCli(['triggers', 'import'], { HOB_HOME: scene.hob.home, PATH: path, LC_ALL: 'C.UTF-8' }).ended;
    const program = (text: string) =>
      writeFile(join(bin, 'crontab'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const path = `${bin}:${process.env.PATH}`;
    await program('[ "$*" = "-l" ] && echo "@daily hello"');
    expect(await importWith(path)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('script: cron: hello\n'),
    });
    await program('echo "no crontab for ada" >&2; exit 1');
    expect(await importWith(path)).toMatchObject({ code: 0, stdout: 'The crontab has no commands.\n' });
    await program('echo "not allowed" >&2; exit 1');
    expect(await importWith(path)).toMatchObject({ code: 1, stderr: expect.stringContaining('not allowed') });
    expect(await refused(1, 'import', 'missing file')).toContain('Cannot read missing file (ENOENT).');
    expect(await refused(1, 'import', process.execPath)).toContain('is not a crontab.');
  });
});
