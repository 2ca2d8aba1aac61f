import { describe, expect, it } from 'vitest';

import { readCrontab } from './crontab.ts';

function only(text: string) {
  const { entries, problems } = readCrontab(text);
  expect(problems).toEqual([]);
  expect(entries).toHaveLength(1);
  return entries[0];
}

describe('a crontab', () => {
  it('is read line by line, without comments and empty lines', () => {
    const { entries, problems } = readCrontab(
      '# backups\n\n30 2 * * * /usr/local/bin/backup --all\n  */5\t*  * * 1-5   poll # now\n',
    );
    expect(problems).toEqual([]);
    expect(entries.map(({ line, cron, command }) => ({ line, cron, command }))).toEqual([
      { line: 3, cron: '30 2 * * *', command: '/usr/local/bin/backup --all' },
      { line: 4, cron: '*/5 * * * 1-5', command: 'poll # now' },
    ]);
  });

  it('may contain names of months, weekdays and times', () => {
    expect(only('0 0 1 jan,JUL Mon-Fri job')?.cron).toBe('0 0 1 jan,JUL Mon-Fri');
    expect(only('@Daily job')).toMatchObject({ cron: '@Daily', command: 'job' });
  });

  it('passes its variables to the lines below them', () => {
    const { entries } = readCrontab(
      'MAILTO=""\nPATH = /opt/bin:/bin\n0 1 * * * one\n"SHELL"=\'/bin/bash\'\n0 2 * * * two\n',
    );
    expect(entries.map(({ environment }) => environment)).toEqual([
      { MAILTO: '', PATH: '/opt/bin:/bin' },
      { MAILTO: '', PATH: '/opt/bin:/bin', SHELL: '/bin/bash' },
    ]);
  });

  it('sets the zone of the lines below CRON_TZ, but TZ is only a variable of the command', () => {
    const { entries } = readCrontab(
      'TZ=Asia/Tokyo\n0 1 * * * one\nCRON_TZ=Europe/Berlin\n0 2 * * * two\nCRON_TZ=\n0 3 * * * three\n',
    );
    expect(entries.map(({ timezone }) => timezone)).toEqual([null, 'Europe/Berlin', null]);
    expect(entries[2]?.environment).toEqual({ TZ: 'Asia/Tokyo' });
  });

  it('ends a command at the first % and passes the rest as its input', () => {
    expect(only('0 9 * * 1 mail -s Hi you%Hello,%%bye')).toMatchObject({
      command: 'mail -s Hi you',
      input: 'Hello,\n\nbye\n',
    });
    expect(only('0 9 * * * date +\\%F')).toMatchObject({ command: 'date +%F', input: null });
  });

  it('has a user column if all lines begin with a name and one with root', () => {
    const { entries } = readCrontab('17 * * * * root cd / && run-parts x\n0 5 * * * www-data /srv/clean\n');
    expect(entries.map(({ user, command }) => ({ user, command }))).toEqual([
      { user: 'root', command: 'cd / && run-parts x' },
      { user: 'www-data', command: '/srv/clean' },
    ]);
    expect(only('0 5 * * * python3 /srv/clean.py')).toMatchObject({
      user: null,
      command: 'python3 /srv/clean.py',
    });
  });

  it('explains the lines that Hob cannot take over', () => {
    const { entries, problems } = readCrontab('@reboot start-it\n0 1 * * *\nhello\n0 2 * * * 备份 "a b"');
    expect(entries.map(({ command }) => command)).toEqual(['备份 "a b"']);
    expect(problems.map(({ line }) => line)).toEqual([1, 2, 3]);
    expect(problems[0]?.message.en).toContain('@reboot is not a time');
  });

  it('may be huge, empty or binary', () => {
    expect(readCrontab('')).toEqual({ entries: [], problems: [] });
    expect(readCrontab('0 1 * * * x\n'.repeat(50_000)).entries).toHaveLength(50_000);
    expect(readCrontab(`${'% '.repeat(200_000)}\u0000`).entries).toEqual([]);
    expect(readCrontab(`0 1 * * ${' '.repeat(100_000)}`).entries).toEqual([]);
  });
});
