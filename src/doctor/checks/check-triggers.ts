import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { SecretStore } from '../../secrets/secret-store.ts';
import { systemClock } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import { expandHome } from '../../shared/expand-home.ts';
import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import { createLogger } from '../../shared/log.ts';
import { fixedText, type Text } from '../../shared/text.ts';
import { TriggerFile } from '../../triggers/trigger-file.ts';
import { missingSecret, noAddress } from '../../triggers/webhook/hook-words.ts';
import { askInBothLanguages } from '../ask-service.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { note, ok, problem, type Result, type Results } from '../finding.ts';

/** Distributions allow at least this many. */
const fewWatches = 8192;
const watchesFile = '/proc/sys/fs/inotify/max_user_watches';

/** Checks triggers.toml and its triggers. Only the service knows whether they work; without it, the file is checked. */
export async function checkTriggers(context: DoctorContext, signal: AbortSignal): Promise<Results> {
  const asked = await askAbout(context, signal);
  const { findings, total, folders } = asked ?? (await readWithout(context));
  if (total === 0 && findings.length === 0) return [];
  const watches = folders === 0 ? [] : await checkWatches(context.platform);
  const all = [...findings, ...watches];
  const count = {
    en: total === 1 ? '1 trigger' : `${total} triggers`,
    zh: `${total} 个触发器`,
  };
  return findings.some(({ state }) => state === 'problem') ? all : [...all, ok(count)];
}

interface Seen {
  readonly findings: readonly Result[];
  readonly total: number;
  /** Triggers that watch a folder. */
  readonly folders: number;
}

/** The problems as the service sees them; null if it does not run or does not answer. */
async function askAbout(context: DoctorContext, signal: AbortSignal): Promise<Seen | null> {
  const answers = await askInBothLanguages('/api/triggers', context, signal);
  if (answers === null) return null;
  const [english, chinese] = answers;
  const items = listOf(english.items);
  const findings = [
    ...pairs(english.problems, chinese.problems).map(([one, other]) =>
      problem(placed(one, textsOf('message', one, other)), textsOf('advice', one, other)),
    ),
    ...pairs(english.items, chinese.items).flatMap(([one, other]) => {
      const make = one.state === 'off' ? note : problem;
      return pairs(one.problems, other.problems).map(([fault, faultInChinese]) =>
        make(
          named(one.id, textsOf('message', fault, faultInChinese)),
          textsOf('advice', fault, faultInChinese),
        ),
      );
    }),
  ];
  const folders = items.filter(({ kind, state }) => kind === 'folder' && state !== 'off').length;
  return { findings, total: items.length, folders };
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function pairs(english: unknown, chinese: unknown): [JsonObject, JsonObject][] {
  const others = listOf(chinese);
  // The file may have changed between the two requests.
  return listOf(english).map((one, index) => [one, others[index] ?? one]);
}

function textsOf(key: string, english: JsonObject, chinese: JsonObject): Text {
  return { en: String(english[key]), zh: String(chinese[key]) };
}

function placed({ file, line }: JsonObject, { en, zh }: Text): Text {
  const place = typeof line === 'number' ? `${String(file)}:${line}` : String(file);
  return { en: `${place}: ${en}`, zh: `${place}：${zh}` };
}

function named(id: unknown, { en, zh }: Text): Text {
  return { en: `${String(id)}: ${en}`, zh: `${String(id)}：${zh}` };
}

/** Reads the file itself. The slugs of scripts are in the database, so scripts are not looked up. */
async function readWithout({ home, settings }: DoctorContext): Promise<Seen> {
  const file = new TriggerFile(join(home, 'triggers.toml'));
  const state = await file.open();
  await file.close();
  if (state.kind === 'broken') {
    const { line, message, advice } = state.problem;
    return { findings: [problem(placed({ file: file.path, line }, message), advice)], total: 0, folders: 0 };
  }
  const entries = state.entries.map(({ fields }) => fields);
  const on = entries.filter(({ enabled }) => enabled !== false);
  const folders = on.filter(({ kind }) => kind === 'folder');
  const hooks = on.filter(({ kind }) => kind === 'webhook');
  const findings = [
    ...(await Promise.all(folders.map(checkFolder))).flat(),
    ...(hooks.length > 0 && settings.hooks_listen === ''
      ? [problem(noAddress.message, noAddress.advice)]
      : []),
    ...(await checkSecrets(home, hooks)),
  ];
  return { findings, total: entries.length, folders: folders.length };
}

async function checkFolder({ id, path }: JsonObject): Promise<Result[]> {
  if (typeof path !== 'string') return [];
  const full = expandHome(path);
  const isFolder = await stat(full).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return [];
  const what = { en: `The folder ${full} does not exist`, zh: `文件夹 ${full} 不存在` };
  return [
    problem(named(id, what), { en: 'Create it, or correct path.', zh: '请创建该文件夹，或修正 path。' }),
  ];
}

async function checkSecrets(home: string, hooks: readonly JsonObject[]): Promise<Result[]> {
  if (hooks.length === 0) return [];
  try {
    const store = new SecretStore({ home, clock: systemClock, log: await createLogger('silent') });
    const known = new Set(store.list().map(({ name }) => name));
    return hooks.flatMap(({ id, secret }) => {
      if (typeof secret !== 'string' || known.has(secret)) return [];
      const { message, advice } = missingSecret(secret);
      return [problem(named(id, message), advice)];
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [problem(error.text, error.hint ?? null)];
  }
}

/** Linux limits the number of watched folders. Above it, Hob looks every few seconds. */
async function checkWatches(platform: NodeJS.Platform): Promise<Result[]> {
  if (platform !== 'linux') return [];
  const limit = Number(await readFile(watchesFile, 'utf8').catch(() => ''));
  if (limit === 0 || limit >= fewWatches) return [];
  return [
    note(
      {
        en: `The system allows only ${limit} folder watches, so files in many folders are noticed late`,
        zh: `系统只允许监视 ${limit} 个文件夹，文件夹较多时新文件会延迟发现`,
      },
      fixedText('sudo sysctl fs.inotify.max_user_watches=65536'),
    ),
  ];
}
