import type { Text } from '../shared/text.ts';

/** A line of a crontab that starts a command. */
export interface CrontabEntry {
  /** Counted from 1. */
  readonly line: number;
  /** The five fields, or a name such as `@daily`. Hob checks them. */
  readonly cron: string;
  /** The zone of the slots, from a `CRON_TZ` above the line. */
  readonly timezone: string | null;
  /** The user column of a system crontab. */
  readonly user: string | null;
  /** For `sh`, as cron would run it. */
  readonly command: string;
  /** The standard input of the command: the text after the first `%`. */
  readonly input: string | null;
  /** The variables above the line, such as PATH, SHELL and MAILTO. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A line that is no valid entry. */
export interface CrontabProblem {
  readonly line: number;
  readonly text: string;
  readonly message: Text;
}

export interface Crontab {
  readonly entries: readonly CrontabEntry[];
  readonly problems: readonly CrontabProblem[];
}

/** Reads a crontab of a user, or one such as /etc/crontab whose lines name the user before the command. */
export function readCrontab(text: string): Crontab {
  const entries: CrontabEntry[] = [];
  const problems: CrontabProblem[] = [];
  const variables = new Map<string, string>();
  // Copied for an entry and not for each variable, because a file may have thousands of them.
  let environment: Readonly<Record<string, string>> | null = null;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    // A byte order mark may precede the first line.
    const content = raw.replace(/^\uFEFF/, '').trim();
    const line = index + 1;
    if (content === '' || content.startsWith('#')) continue;
    const variable = readVariable(content);
    if (variable !== null) {
      variables.set(variable.name, variable.value);
      environment = null;
      continue;
    }
    const parts = scheduleLine.exec(content);
    if (parts === null) {
      problems.push({ line, text: content, message: incomplete });
      continue;
    }
    const [, cron = '', rest = ''] = parts;
    if (cron.toLowerCase() === '@reboot') {
      problems.push({ line, text: content, message: reboot });
      continue;
    }
    environment ??= Object.fromEntries(variables);
    const { CRON_TZ = '', ...others } = environment;
    entries.push({
      line,
      cron: cron.replace(/\s+/g, ' '),
      timezone: CRON_TZ === '' ? null : CRON_TZ,
      user: null,
      ...splitInput(rest),
      environment: others,
    });
  }
  return { entries: isSystemCrontab(entries) ? entries.map(splitUser) : entries, problems };
}

/** The dash in front of the minutes of some systems keeps cron from logging the command. */
const scheduleLine = /^-?(@[A-Za-z]+|[\d*]\S*(?:\s+\S+){4})\s+(\S.*)$/;

function readVariable(content: string): { name: string; value: string } | null {
  const [, , quoted, plain, value = ''] = /^(?:(["'])(.+?)\1|([A-Za-z_]\w*))\s*=\s*(.*)$/.exec(content) ?? [];
  const name = quoted ?? plain;
  return name === undefined ? null : { name, value: unquote(value) };
}

function unquote(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length >= 2 ? value.slice(1, -1) : value;
}

/** Cron ends the command at the first `%`, and turns the others into line breaks. A `%` after a backslash stays. */
function splitInput(rest: string): { command: string; input: string | null } {
  const parts = rest.split(/(?<!\\)%/);
  const [command = '', ...lines] = parts.map((part) => part.replaceAll('\\%', '%'));
  return { command: command.trim(), input: lines.length === 0 ? null : `${lines.join('\n')}\n` };
}

/** A system crontab has a user in each line, and `root` in one of them. No command is called `root`. */
function isSystemCrontab(entries: readonly CrontabEntry[]): boolean {
  return (
    entries.every(({ command }) => userAndCommand.test(command)) &&
    entries.some(({ command }) => /^root\s/.test(command))
  );
}

const userAndCommand = /^([a-z_][\w.-]*)\s+(\S.*)$/i;

function splitUser(entry: CrontabEntry): CrontabEntry {
  const [, user = null, command = entry.command] = userAndCommand.exec(entry.command) ?? [];
  return { ...entry, user, command };
}

const incomplete: Text = {
  en: 'this is neither a variable, nor five fields of time followed by a command',
  zh: '此行既不是变量，也不是“五个时间字段 + 命令”',
};

const reboot: Text = {
  en: '@reboot is not a time. Start the command from the login or init system instead',
  zh: '@reboot 表示开机时运行，不是一个时间。请改用系统或登录启动项',
};
