import { shellWord } from '../command-lines.ts';
import type { NewFile } from '../commands/new/new-script.ts';
import type { CrontabEntry } from '../crontab.ts';
import { tr } from '../language.ts';
import { tomlText } from '../toml-text.ts';

/** Settings of cron itself. */
const ofCron: ReadonlySet<string> = new Set([
  'SHELL',
  'MAILTO',
  'MAILFROM',
  'RANDOM_DELAY',
  'START_HOURS_RANGE',
  'CONTENT_TYPE',
  'CONTENT_TRANSFER_ENCODING',
]);

/** The shell that cron uses for a line; null if it is neither sh nor bash. */
export function shellOf({ environment: { SHELL = '/bin/sh' } }: CrontabEntry): 'sh' | 'bash' | null {
  if (/(?:^|\/)(?:sh|dash)$/.test(SHELL)) return 'sh';
  return /(?:^|\/)bash$/.test(SHELL) ? 'bash' : null;
}

/** The user who imports, as cron knows them. */
export interface CronUser {
  readonly name: string;
  readonly home: string;
}

interface Facts {
  readonly id: string;
  readonly name: string;
  readonly user: CronUser;
}

/** The files of a script that runs the command of a crontab line as cron would. */
export function crontabFiles(entry: CrontabEntry, { id, name, user }: Facts): NewFile[] {
  return [
    { path: 'script.toml', text: manifestText(entry, id, name) },
    { path: 'main.sh', text: entryText(entry, user) },
    ...(entry.input === null ? [] : [{ path: 'input.txt', text: entry.input }]),
  ];
}

/** The variables that the command gets. */
export function variablesOf({ environment }: CrontabEntry): [name: string, value: string][] {
  return Object.entries(environment).filter(([name]) => !ofCron.has(name));
}

function manifestText(entry: CrontabEntry, id: string, name: string): string {
  return `[service.info]
id = "${id}"
name = ${tomlText(name)}
version = "1.0.0"
desc = "${tr('A command that was in the crontab.', '原来在 crontab 中的命令。')}"

[service.runtime]
language = "${shellOf(entry) ?? 'sh'}"
entry = "main.sh"
terminal = "never"
`;
}

function entryText(entry: CrontabEntry, user: CronUser): string {
  const variables = variablesOf(entry);
  const lines = [
    shellOf(entry) === 'bash' ? '#!/usr/bin/env bash' : '#!/bin/sh',
    `# ${tr('Variables that cron sets.', 'cron 会设置的变量。')}`,
    ...cronVariables(entry, user),
    ...(variables.length === 0 ? [] : [`# ${tr('Variables of the crontab.', 'crontab 中的变量。')}`]),
    ...variables.map(([name, value]) => `export ${name}=${shellWord(value)}`),
    ...(entry.input === null
      ? []
      : [`# ${tr('The text after the first %.', '第一个 % 之后的文字。')}`, 'exec < input.txt']),
    `# ${tr('cron starts commands in the home folder.', 'cron 在用户主目录中启动命令。')}`,
    'cd || exit',
    '',
    entry.command,
  ];
  return `${lines.join('\n')}\n`;
}

/** Hob may have been started without the variables of the user. Its shell is that of the user, and not that of cron. */
function cronVariables({ environment }: CrontabEntry, { name, home }: CronUser): string[] {
  const ofUser = { LOGNAME: name, USER: name, HOME: home };
  return [
    ...Object.entries(ofUser)
      .filter(([variable]) => environment[variable] === undefined)
      .map(([variable, value]) => `export ${variable}="\${${variable}:-${inDoubleQuotes(value)}}"`),
    `export SHELL=${shellWord(environment.SHELL ?? '/bin/sh')}`,
  ];
}

function inDoubleQuotes(value: string): string {
  return value.replace(/[\\"$`}]/g, '\\$&');
}
