import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, open, readdir, readFile, rename } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';

import Type from 'typebox';
import Value from 'typebox/value';

import { foldName } from '../packages/fetch/entry-names.ts';
import { PackageWriter } from '../packages/fetch/package-writer.ts';
import { readTar } from '../packages/fetch/read-tar.ts';
import type { FetchProgress } from '../packages/package-source.ts';
import { Catalogue } from '../scripts/catalogue.ts';
import { isAssigned, isUuid } from '../scripts/slug.ts';
import { settingsFile } from '../settings/home.ts';
import { loadSettings, SettingsError } from '../settings/load-settings.ts';
import { prepareHome } from '../settings/prepare-home.ts';
import { ExplainedError, errnoOf } from '../shared/errors.ts';
import { createPrivateFile, makePrivateFolder } from '../shared/private-files.ts';
import { removeFolder } from '../shared/remove-folder.ts';
import type { Text } from '../shared/text.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { lockHome } from '../storage/home-lock.ts';
import { addRuns, countRuns, type ExportedRun, ExportedRunSchema } from '../storage/run-transfer.ts';
import { SqliteAgentChoiceStore } from '../storage/sqlite-agent-choice-store.ts';
import { SqliteRunStore } from '../storage/sqlite-run-store.ts';
import { SqliteSlugStore } from '../storage/sqlite-slug-store.ts';
import type { Skipped } from './export-format.ts';
import {
  exportLimits,
  format,
  type Manifest,
  ManifestSchema,
  manifestName,
  triggersName,
} from './export-format.ts';
import { type ImportedTriggers, placeTriggers } from './triggers.ts';

interface ImportOptions {
  readonly home: string;
  readonly file: string;
  /** Whether the home may already contain scripts, settings or runs. They are never overwritten. */
  readonly merge: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: FetchProgress) => void;
}

export interface Imported {
  readonly manifest: Manifest;
  /** Names in the scripts folder. */
  readonly scripts: readonly string[];
  readonly runs: number;
  readonly hasSettings: boolean;
  readonly triggers: ImportedTriggers;
  readonly skipped: readonly Skipped[];
  /** Packages that this home does not have. */
  readonly packages: Manifest['packages'];
}

const stagingPrefix = '.import-';
/** Two headers and the padding, for the maximum number of files. */
const mostBesideFilesBytes = exportLimits.entries * 2048;

/** Adds the content of an export to a home that no service uses. Checks all of it before anything is added. */
export async function importHome(options: ImportOptions): Promise<Imported> {
  const { home } = options;
  const file = resolve(options.file);
  await checkFile(file);
  const prepared = await prepareHome(home);
  if (prepared.kind === 'unusable') throw new ExplainedError(prepared.reason);
  const lock = lockHome(home);
  if (lock === null) throw inUse(home);
  const staging = join(home, `${stagingPrefix}${randomBytes(6).toString('hex')}`);
  let database: Database | undefined;
  try {
    // An import that was killed left its files.
    for (const name of await readdir(home))
      if (name.startsWith(stagingPrefix)) await removeFolder(join(home, name));
    database = openDatabase(join(home, 'hob.db'));
    if (!options.merge) await refuseContent(home, countRuns(database));
    await makePrivateFolder(staging);
    const manifest = await unpack(file, staging, options);
    return await place(manifest, staging, home, database);
  } finally {
    database?.close();
    await removeFolder(staging);
    lock.release();
  }
}

async function checkFile(file: string): Promise<void> {
  const handle = await open(file).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT')
      throw new ExplainedError({ en: `${file} does not exist.`, zh: `${file} 不存在。` });
    throw new ExplainedError({
      en: `${file} cannot be read (${errnoOf(error)}).`,
      zh: `无法读取 ${file}（${errnoOf(error)}）。`,
    });
  });
  try {
    const start = Buffer.alloc(2);
    if (!(await handle.stat()).isFile()) throw notAnExport(file);
    await handle.read(start, 0, start.length, 0);
    if (start[0] !== 0x1f || start[1] !== 0x8b) throw notAnExport(file);
  } finally {
    await handle.close();
  }
}

async function unpack(
  file: string,
  staging: string,
  { signal, onProgress }: ImportOptions,
): Promise<Manifest> {
  const writer = new PackageWriter({ root: staging, limits: exportLimits, signal, onProgress });
  const handle = await open(file);
  const source = handle.createReadStream({ highWaterMark: 256 * 1024 });
  await readTar(source, writer, { isCompressed: true, signal, mostBesideFilesBytes });
  const manifest = parseJson(await readFile(join(staging, manifestName), 'utf8').catch(() => ''));
  if (Value.Check(ManifestSchema, manifest)) return manifest;
  const newer = Value.Check(Type.Object({ format: Type.Integer({ minimum: format + 1 }) }), manifest);
  throw newer ? newerExport(file, manifest.format) : notAnExport(file);
}

/** Runs come first: after a failure, their folders have no records, and the next start removes them. */
async function place(
  manifest: Manifest,
  staging: string,
  home: string,
  database: Database,
): Promise<Imported> {
  const skipped: Skipped[] = [];
  const settings = await loadSettings({ home });
  const own = join(home, 'scripts');
  await makePrivateFolder(own, { existing: true });
  const catalogue = new Catalogue([own, ...settings.scripts], { packages: join(home, 'packages') });
  await catalogue.load();

  const runs = await placeRuns(join(staging, 'runs'), join(home, 'runs'), database, skipped);
  let scripts: string[];
  let hasSettings: boolean;
  let triggers: ImportedTriggers;
  try {
    scripts = await placeScripts(join(staging, 'scripts'), own, catalogue, skipped);
    hasSettings = await placeSettings(staging, home, skipped);
    placeSlugs(manifest, database);
    placeAgentChoices(manifest, database);
    triggers = await placeTriggers(staging, home, skipped);
  } catch (error) {
    throw incomplete(error);
  }
  const packages = manifest.packages.filter(({ script_id }) => !catalogue.isOutside(script_id, staging));
  return { manifest, scripts, runs, hasSettings, triggers, skipped, packages };
}

async function placeRuns(
  from: string,
  into: string,
  database: Database,
  skipped: Skipped[],
): Promise<number> {
  const store = new SqliteRunStore(database);
  const files = (await namesIn(from)).filter((name) => name.endsWith('.json'));
  // Results can be large, so only this is kept of a record.
  const all = files.map((name) => {
    const { run_id, queued_at } = readRun(from, basename(name, '.json'));
    return { id: run_id, queuedAt: queued_at };
  });
  const fresh = all.filter(({ id }) => !store.has(id));
  const known = all.length - fresh.length;
  if (known > 0)
    skipped.push({
      what: 'runs',
      why: { en: `this home already has ${known} of them`, zh: `已有其中 ${known} 次` },
    });
  for (const { id } of fresh) {
    // A folder without a record is left from an import that was killed.
    await removeFolder(join(into, id));
    await move(join(from, id), join(into, id));
  }
  // The history removes runs in the order in which they were added.
  fresh.sort((one, other) => (one.queuedAt < other.queuedAt ? -1 : 1));
  addRuns(store, readRuns());
  return fresh.length;

  function* readRuns(): Generator<ExportedRun> {
    for (const { id } of fresh) yield readRun(from, id);
  }
}

function readRun(folder: string, id: string): ExportedRun {
  const run = parseJson(readFileSync(join(folder, `${id}.json`), 'utf8'));
  const isValid =
    Value.Check(ExportedRunSchema, run) &&
    run.run_id === id &&
    [run.data, run.params, run.result ?? 'null'].every((text) => parseJson(text) !== undefined);
  if (isValid) return run;
  throw new ExplainedError({
    en: `The record runs/${id}.json of the export is not valid. Nothing was imported. Export the home again.`,
    zh: `导出文件中的记录 runs/${id}.json 无效，没有导入任何内容。请重新导出。`,
  });
}

async function placeScripts(
  from: string,
  own: string,
  catalogue: Catalogue,
  skipped: Skipped[],
): Promise<string[]> {
  const staged = new Catalogue([from]);
  await staged.load();
  const there = new Set((await namesIn(own)).map(foldName));
  const placed: string[] = [];
  for (const name of await namesIn(from)) {
    const path = join(from, name);
    const inFolder = staged
      .scripts()
      .filter(({ folder }) => folder === path || folder.startsWith(path + sep));
    const known = inFolder.find(({ id }) => catalogue.isOutside(id, from));
    if (there.has(foldName(name))) skipped.push({ what: `scripts/${name}`, why: alreadyThere });
    else if (known !== undefined)
      skipped.push({
        what: `scripts/${name}`,
        why: {
          en: `this home already has a script with the id of "${known.name}"`,
          zh: `已有与 “${known.name}” ID 相同的脚本`,
        },
      });
    else {
      await move(path, join(own, name));
      placed.push(name);
    }
  }
  return placed;
}

/** A script whose slug this home already uses gets another one at the next start. */
function placeSlugs({ slugs = [] }: Manifest, database: Database): void {
  const entries = slugs.map(({ slug, script_id, current, own, declared }) => ({
    slug,
    scriptId: script_id.toLowerCase(),
    isCurrent: current,
    isOwn: own,
    declared,
  }));
  new SqliteSlugStore(database).add(
    entries.filter(({ slug, scriptId }) => isAssigned(slug) && isUuid(scriptId)),
  );
}

/** An export of a stranger may only forbid something to agents. Choices that this home has stay as they are. */
function placeAgentChoices({ agents = [] }: Manifest, database: Database): void {
  const store = new SqliteAgentChoiceStore(database);
  const known = new Set(store.all().map(({ scriptId }) => scriptId));
  for (const { script_id, offered = null, asks = null } of agents) {
    const scriptId = script_id.toLowerCase();
    if (isUuid(scriptId) && !known.has(scriptId)) store.put({ scriptId, isOffered: offered, isAsked: asks });
  }
}

async function placeSettings(staging: string, home: string, skipped: Skipped[]): Promise<boolean> {
  const what = 'settings.toml';
  const text = await readFile(settingsFile(staging), 'utf8').catch(() => null);
  if (text === null) return false;
  try {
    // Settings that this release does not accept would prevent its start.
    await loadSettings({ home: staging }, {});
    await createPrivateFile(settingsFile(home), text);
    return true;
  } catch (error) {
    if (error instanceof SettingsError) {
      const listed = (each: keyof Text) =>
        error.problems.map((problem) => problem[each].replaceAll(settingsFile(staging), what)).join('; ');
      skipped.push({ what, why: { en: listed('en'), zh: listed('zh') } });
    } else if (errnoOf(error) === 'EEXIST') skipped.push({ what, why: alreadyThere });
    else throw error;
    return false;
  }
}

const alreadyThere: Text = { en: 'this home already has it', zh: '已存在' };

/** A folder of the home may be a link to another disk. A run without files has no folder. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    if (errnoOf(error) !== 'EXDEV') throw error;
    try {
      await cp(from, to, { recursive: true, errorOnExist: true, force: false });
    } catch (failure) {
      // A part of it would count as the whole the next time.
      await removeFolder(to);
      throw failure;
    }
  }
}

async function refuseContent(home: string, runs: number): Promise<void> {
  const scripts = (await namesIn(join(home, 'scripts'))).length;
  const names = await namesIn(home);
  const hasFiles = names.includes('settings.toml') || names.includes(triggersName);
  if (runs === 0 && scripts === 0 && !hasFiles) return;
  throw new ExplainedError({
    en:
      `The home ${home} is not empty. Use --merge to add what it does not have; nothing is overwritten. ` +
      'Or choose a new home with --home.',
    zh: `数据目录 ${home} 不是空的。加上 --merge 只添加其中没有的内容，不会覆盖任何东西；也可用 --home 指定新的数据目录。`,
  });
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function incomplete(error: unknown): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  return new ExplainedError({
    en: `The runs were imported, but not all scripts and settings (${errno}). Check the permissions and the free space on the disk, then import again with --merge.`,
    zh: `运行记录已导入，但脚本和设置没有全部导入（${errno}）。请检查权限和磁盘剩余空间，然后加上 --merge 重新导入。`,
  });
}

function inUse(home: string): ExplainedError {
  return new ExplainedError({
    en: `Hob is running in the home ${home}. Stop it with \`hob stop\`, then import.`,
    zh: `Hob 正在使用数据目录 ${home}。请先用 \`hob stop\` 停止它，然后再导入。`,
  });
}

function notAnExport(file: string): ExplainedError {
  return new ExplainedError({
    en: `${file} is not an export of Hob. Create one with: hob export <file>`,
    zh: `${file} 不是 Hob 的导出文件。请用 hob export <file> 创建。`,
  });
}

function newerExport(file: string, found: number): ExplainedError {
  return new ExplainedError({
    en: `${file} was written by a newer Hob (format ${found}; this Hob supports ${format}). Upgrade Hob on this machine, then import.`,
    zh: `${file} 由更新版本的 Hob 导出（格式 ${found}，当前的 Hob 只支持到 ${format}）。请先升级这台电脑上的 Hob，然后再导入。`,
  });
}
