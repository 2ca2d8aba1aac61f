import { describe, expect, it } from 'vitest';

import { runCommand } from '../../shared/run-command.ts';
import { readCrontab } from '../crontab.ts';
import { planImport, programOf } from './crontab-plan.ts';

const now = new Date('2026-11-19T10:00:00Z');

function plan(text: string, { user = 'ada', names = new Map<string, string>() } = {}) {
  return planImport(readCrontab(text), {
    scriptsFolder: '/home/ada/scripts',
    user: { name: user, home: '/home/ada' },
    now,
    names,
  });
}

/** The text of a file of the only planned line. */
function fileOf(text: string, path: string): string | undefined {
  return plan(text).lines[0]?.files.find((file) => file.path === path)?.text;
}

describe('the plan of an import', () => {
  it('has a script and a trigger for each line', () => {
    const { lines, refused } = plan(
      'CRON_TZ=Asia/Tokyo\nRANDOM_DELAY=5\n30 2 * * * /usr/bin/backup.sh --all\n',
    );
    expect(refused).toEqual([]);
    expect(lines).toMatchObject([
      {
        line: 3,
        name: 'cron: backup',
        command: '/usr/bin/backup.sh --all',
        fields: { cron: '30 2 * * *', timezone: 'Asia/Tokyo', jitter: '5m' },
        words: 'every day at 02:30 (Asia/Tokyo)',
      },
    ]);
    expect(lines[0]?.next[0]).toBe('2026-11-19T17:30:00.000Z');
    expect(lines[0]?.next).toHaveLength(5);
    expect(lines[0]?.triggerId).toMatch(/^cron-backup-[0-9a-f]{6}$/);
    expect(lines[0]?.folder).toMatch(/^\/home\/ada\/scripts\/cron-backup-[0-9a-f]{6}$/);
  });

  it('has the same ids for the same lines, wherever they stand', () => {
    const ids = (text: string) => plan(text).lines.map(({ scriptId, triggerId }) => [scriptId, triggerId]);
    const line = '0 4 * * 1 sync --all';
    expect(ids(`# moved\nMAILTO=ada\n\n${line}`)).toEqual(ids(line));
    const [[scriptId, triggerId] = []] = ids(line);
    // Another time: the same script. Another variable: another script.
    expect(ids('0 5 * * 1 sync --all')).toEqual([[scriptId, expect.not.stringMatching(`^${triggerId}$`)]]);
    expect(ids(`LANG=C\n${line}`)[0]?.[0]).not.toBe(scriptId);
    expect(scriptId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('gives each script a name of its own', () => {
    const names = new Map([['cron: sync', 'another script']]);
    const { lines } = plan('@daily sync a\n@daily sync b\n@hourly sync a\n', { names });
    expect(lines.map(({ name }) => name)).toEqual(['cron: sync 2', 'cron: sync 3', 'cron: sync 2']);
  });

  it.each([
    ['@reboot start', /@reboot is not a time/],
    ['0 0 31 2 * never', /never fires/],
    ['70 * * * * x', /"70" is not valid/],
    ['* * * *', /neither a variable/],
    ['SHELL=/usr/bin/fish\n@daily x', /its shell is \/usr\/bin\/fish/],
    ['"odd name"=1\n@daily x', /cannot set the variable "odd name"/],
    ['@daily x\n@daily  x', /same as line 1/],
    ['0 1 * * * root apt update\n0 2 * * * bob tidy', /runs as bob; Hob runs scripts as root/, 'root'],
  ])('refuses %j with the reason', (text, reason, user = 'ada') => {
    const { refused } = plan(text, { user });
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toMatch(reason);
  });

  it('keeps the names of scripts that an earlier import created', () => {
    const [first, second] = plan('@daily sync a\n@daily sync b\n').lines;
    const names = new Map([
      [first?.name ?? '', first?.scriptId ?? ''],
      [second?.name ?? '', second?.scriptId ?? ''],
    ]);
    const { lines } = plan('@daily sync c\n@daily sync b\n@daily sync a\n', { names });
    expect(lines.map(({ name }) => name)).toEqual(['cron: sync 3', 'cron: sync 2', 'cron: sync']);
  });

  it('takes no line for another one whose hash begins alike', () => {
    // Two pairs of these lines have hashes with the same six digits.
    const text = Array.from({ length: 5000 }, (_, index) => `* * * * * sync ${index}\n`).join('');
    const { lines, refused } = plan(text);
    expect(refused).toEqual([]);
    for (const field of ['triggerId', 'folder', 'scriptId'] as const)
      expect(new Set(lines.map((line) => line[field])).size).toBe(5000);
    expect(lines.filter(({ triggerId }) => /^cron-sync-[0-9a-f]{6}$/.test(triggerId))).toHaveLength(4998);
  });

  it('names the line that another one repeats', () => {
    const { lines, refused } = plan('@daily x\n@hourly y\n@daily  x\n@reboot z\n@daily x');
    expect(lines.map(({ line }) => line)).toEqual([1, 2]);
    expect(refused.map(({ line, sameAs }) => [line, sameAs])).toEqual([
      [3, 1],
      [4, null],
      [5, 1],
    ]);
  });

  it('does not take the line of another user for a repetition', () => {
    const { refused } = plan('0 1 * * * root tidy\n0 1 * * * bob tidy', { user: 'root' });
    expect(refused).toMatchObject([{ line: 2, sameAs: null }]);
  });

  it('takes over the lines of the user in a system crontab', () => {
    const { lines } = plan('0 1 * * * root apt update\n0 2 * * * bob tidy', { user: 'root' });
    expect(lines.map(({ command }) => command)).toEqual(['apt update']);
  });
});

describe('the script of a line', () => {
  it('sets the variables of the crontab and starts in the home folder', () => {
    const text = `SHELL=/bin/bash\nPATH=/opt/it's $HOME:/bin\nMAILTO=ada\n@daily echo "$PATH" | tr a b`;
    expect(fileOf(text, 'main.sh')).toBe(`#!/usr/bin/env bash
# Variables that cron sets.
export LOGNAME="\${LOGNAME:-ada}"
export USER="\${USER:-ada}"
export HOME="\${HOME:-/home/ada}"
export SHELL='/bin/bash'
# Variables of the crontab.
export PATH='/opt/it'\\''s $HOME:/bin'
# cron starts commands in the home folder.
cd || exit

echo "$PATH" | tr a b
`);
    expect(fileOf(text, 'script.toml')).toContain('language = "bash"');
    expect(fileOf(text, 'input.txt')).toBeUndefined();
  });

  it('has the variables that cron sets, unless the crontab sets them', async () => {
    const shown = 'echo "$LOGNAME:$USER:$HOME:$SHELL"';
    const run = async (variables: string, env: NodeJS.ProcessEnv) => {
      const text = fileOf(`${variables}\n@daily ${shown}`, 'main.sh') ?? '';
      return (await runCommand('/bin/sh', ['-c', text], { env })).stdout;
    };
    expect(await run('', { HOME: '/' })).toBe('ada:ada:/:/bin/sh\n');
    expect(await run('', { HOME: '/', LOGNAME: 'eve', USER: 'eve', SHELL: '/bin/fish' })).toBe(
      'eve:eve:/:/bin/sh\n',
    );
    expect(await run('HOME=/tmp\nLOGNAME=bob\nSHELL=/bin/dash', { HOME: '/' })).toBe(
      'bob:ada:/tmp:/bin/dash\n',
    );
  });

  it('feeds the text after the first % to the command', () => {
    expect(fileOf('@daily mail -s x%Hello%50\\% off', 'input.txt')).toBe('Hello\n50% off\n');
    expect(fileOf('@daily mail -s x%Hello', 'main.sh')).toContain('exec < input.txt\n');
  });
});

it.each([
  ['/usr/local/bin/backup.sh --all', 'backup'],
  ['cd /srv/app && FOO=1 nice -n 10 /usr/bin/python3 -u report.py', 'report'],
  ['"/opt/my tool/run" x', 'my'],
  ['[ -x /bin/a ] && /bin/a', 'a'],
  ['python3', 'python3'],
  ['备份 全部', '备份'],
  [';', 'command'],
])('names the program of %j %s', (command, name) => {
  expect(programOf(command)).toBe(name);
});
