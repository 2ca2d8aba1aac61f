import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

import type { Text } from '../../shared/text.ts';
import { checkCron, nextSlots } from '../../triggers/schedule/cron.ts';
import { scheduleWords } from '../../triggers/schedule/words.ts';
import type { NewFile } from '../commands/new/new-script.ts';
import type { CrontabEntry, CrontabProblem } from '../crontab.ts';
import { language, tr } from '../language.ts';
import { safeFileName } from '../safe-file-name.ts';
import { type CronUser, crontabFiles, shellOf, variablesOf } from './crontab-script.ts';

/** A line of a crontab with the script and the trigger that replace it. */
export interface PlannedLine {
  readonly line: number;
  readonly cron: string;
  readonly timezone: string | null;
  readonly command: string;
  /** The text after the first `%`. */
  readonly input: string | null;
  readonly scriptId: string;
  readonly name: string;
  readonly folder: string;
  readonly files: readonly NewFile[];
  readonly triggerId: string;
  readonly fields: { readonly cron: string; readonly timezone?: string; readonly jitter?: string };
  readonly words: string;
  readonly next: readonly string[];
  readonly notes: readonly string[];
}

export interface RefusedLine {
  readonly line: number;
  readonly text: string;
  readonly reason: string;
  /** The earlier line that this one repeats. */
  readonly sameAs: number | null;
}

export interface CrontabPlan {
  readonly lines: readonly PlannedLine[];
  readonly refused: readonly RefusedLine[];
}

interface Place {
  readonly scriptsFolder: string;
  /** The user who imports. */
  readonly user: CronUser;
  readonly now: Date;
  /** The scripts by name. A planned script gets another name. */
  readonly names: ReadonlyMap<string, string>;
}

const shownSlots = 5;
const hashLength = 6;
/** For a line that shares the first digits with another one. With the longest word, it makes the longest id of a trigger. */
const longHashLength = 18;

/**
 * The scripts and triggers for the lines of a crontab. Their ids derive from the lines, so a second import finds what the first one
 * created. Lines with the same command share a script.
 */
export function planImport(
  { entries, problems }: { entries: readonly CrontabEntry[]; problems: readonly CrontabProblem[] },
  place: Place,
): CrontabPlan {
  const refused: RefusedLine[] = problems.map(({ line, text, message }) => ({
    line,
    text,
    reason: message[language],
    sameAs: null,
  }));
  const names = new Names(place.names);
  const machineZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const planned = new Map<string, PlannedLine>();
  const triggerIds = new Endings();
  const folders = new Endings();
  for (const entry of entries) {
    const { line, cron, command } = entry;
    const refusal = refusalOf(entry, place);
    const ids = idsOf(entry);
    const twin = refusal === null ? planned.get(ids.key) : undefined;
    const reason = twin === undefined ? refusal : sameLine(twin);
    if (reason === null) {
      const chosen = {
        name: names.choose(`cron: ${programOf(command)}`, ids.scriptId),
        triggerId: triggerIds.choose(ids.key, (length) => triggerIdOf(entry, ids.key.slice(0, length))),
        folder: folders.choose(ids.scriptId, (length) =>
          safeFileName('cron', programOf(command), ids.scriptId.replaceAll('-', '').slice(0, length)),
        ),
      };
      planned.set(ids.key, planLine(entry, { ...ids, ...chosen }, { ...place, machineZone }));
    } else
      refused.push({
        line,
        text: `${cron} ${command}`,
        reason: reason[language],
        sameAs: twin?.line ?? null,
      });
  }
  return { lines: [...planned.values()], refused: refused.sort((one, other) => one.line - other.line) };
}

function sameLine({ line }: PlannedLine): Text {
  return { en: `it is the same as line ${line}`, zh: `与第 ${line} 行相同` };
}

function refusalOf(entry: CrontabEntry, { user }: Place): Text | null {
  if (entry.user !== null && entry.user !== user.name)
    return {
      en: `it runs as ${entry.user}; Hob runs scripts as ${user.name}`,
      zh: `该行以 ${entry.user} 的身份运行，而 Hob 以 ${user.name} 的身份运行脚本`,
    };
  const { SHELL } = entry.environment;
  if (SHELL !== undefined && shellOf(entry) === null)
    return {
      en: `its shell is ${SHELL}; supported are sh and bash`,
      zh: `其 shell 为 ${SHELL}，仅支持 sh 和 bash`,
    };
  const odd = variablesOf(entry).find(([name]) => !/^[A-Za-z_]\w*$/.test(name));
  if (odd !== undefined)
    return { en: `a shell cannot set the variable "${odd[0]}"`, zh: `shell 无法设置变量“${odd[0]}”` };
  const mistake = checkCron(entry.cron, entry.timezone);
  return mistake === null ? null : mistake.message;
}

function planLine(
  entry: CrontabEntry,
  { scriptId, jitter, name, triggerId, folder }: Ids & Chosen,
  place: Place & { readonly machineZone: string },
): PlannedLine {
  const { line, cron, timezone, command, input } = entry;
  const rule = { cron, everyMs: null, timezone };
  return {
    line,
    cron,
    timezone,
    command,
    input,
    scriptId,
    name,
    folder: join(place.scriptsFolder, folder),
    files: crontabFiles(entry, { id: scriptId, name, user: place.user }),
    triggerId,
    fields: { cron, ...(timezone !== null && { timezone }), ...(jitter !== null && { jitter }) },
    words: scheduleWords(rule)[language],
    next: nextSlots(rule, place.machineZone, place.now, shownSlots).map((date) => date.toISOString()),
    notes: notesOf(entry),
  };
}

function notesOf({ environment: { MAILTO = '' } }: CrontabEntry): string[] {
  if (MAILTO === '') return [];
  return [
    tr(
      `cron mails the output to ${MAILTO}. Hob sends no mail; it keeps the output with the run: hob runs, hob logs`,
      `cron 会把输出寄给 ${MAILTO}。Hob 不发送邮件，而是把输出保存在运行记录中：hob runs、hob logs`,
    ),
  ];
}

interface Ids {
  readonly scriptId: string;
  /** A hash of all that makes the line another one. */
  readonly key: string;
  readonly jitter: string | null;
}

function idsOf(entry: CrontabEntry): Ids {
  const { command, input, environment, cron, timezone } = entry;
  const { RANDOM_DELAY = '' } = environment;
  const variables = variablesOf(entry).sort(([one], [other]) => (one < other ? -1 : 1));
  const script = hashOf([shellOf(entry), command, input, variables]);
  const jitter = /^[1-9]\d{0,3}$/.test(RANDOM_DELAY) ? `${RANDOM_DELAY}m` : null;
  return { scriptId: uuidOf(script), key: hashOf([script, cron, timezone]), jitter };
}

interface Chosen {
  readonly name: string;
  readonly triggerId: string;
  /** Without the path. */
  readonly folder: string;
}

function triggerIdOf({ command }: CrontabEntry, ending: string): string {
  const word = programOf(command)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return ['cron', word, ending].filter((part) => part !== '').join('-');
}

/** Words that end with the first digits of a hash, so that each belongs to one hash. */
class Endings {
  readonly #owners = new Map<string, string>();

  choose(hash: string, wordWith: (length: number) => string): string {
    const short = wordWith(hashLength);
    const owner = this.#owners.get(short) ?? hash;
    this.#owners.set(short, owner);
    return owner === hash ? short : wordWith(longHashLength);
  }
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** A UUID of version 8, which is made from data of the program. */
function uuidOf(hash: string): string {
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

/** Chooses a name for each script that no other script has. */
class Names {
  readonly #taken: Set<string>;
  readonly #ofScript: Map<string, string>;
  /** Thousands of lines may start one program, so no number is tried twice. */
  readonly #lastNumbers = new Map<string, number>();

  constructor(owners: ReadonlyMap<string, string>) {
    this.#taken = new Set(owners.keys());
    this.#ofScript = new Map([...owners].map(([name, scriptId]) => [scriptId, name]));
  }

  choose(wanted: string, scriptId: string): string {
    const name = this.#ofScript.get(scriptId) ?? this.#firstFree(wanted);
    this.#taken.add(name);
    this.#ofScript.set(scriptId, name);
    return name;
  }

  #firstFree(wanted: string): string {
    for (let number = (this.#lastNumbers.get(wanted) ?? 0) + 1; ; number++) {
      this.#lastNumbers.set(wanted, number);
      const name = number === 1 ? wanted : `${wanted} ${number}`;
      if (!this.#taken.has(name)) return name;
    }
  }
}

/** Programs that start another one, which says more about the line. */
const starters =
  /^(?:nice|ionice|nohup|sudo|env|time|timeout|flock|chronic|exec|bash|dash|sh|python[\d.]*|node|perl|ruby|php)$/;
const longestWord = 40;

/** The program that a line starts, for its name: `backup` for `cd /srv && /usr/bin/python3 -u backup.py --all`. */
export function programOf(command: string): string {
  const words = command.replace(/^(?:cd\s+\S+\s*(?:&&|;)\s*)+/, '').split(/\s+/);
  const names = words
    .filter((word) => !/^-|^\d+[smhd]?$|^\w+=/.test(word))
    .map((word) => basename(word.replace(/["'();&|<>]+/g, '')));
  const name = names.find((each) => /[\p{L}\p{N}]/u.test(each) && !starters.test(each)) ?? names[0] ?? '';
  const short = name.replace(/\.\w{1,4}$/, '').slice(0, longestWord);
  return short === '' ? 'command' : short;
}
