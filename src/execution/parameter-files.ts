import { createHash } from 'node:crypto';
import { constants, lstatSync, rmdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { chmod, lstat, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { isOwnFolder, makePrivateFolder, writePrivateFile } from '../shared/private-files.ts';
import { readRegularFile } from '../shared/read-regular-file.ts';
import { permitted, removeFolder } from '../shared/remove-folder.ts';

/** The part of the logger that is used here. The executor, which removes parameter files too, does not load the logger. */
interface Log {
  error(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

/** The paths of a run that its parameter file needs. */
interface RunPaths {
  readonly path: string;
  readonly parameterFile: string;
  readonly resultFile: string;
}

export type InvokeMode = 'node' | 'manual' | 'scheduled';

interface ParameterFileContent {
  apiBase: string;
  runId: string;
  scriptId: string;
  scriptFolder: string;
  invokeMode: InvokeMode;
  data: Json;
  params: JsonObject;
}

const retryMs = 60_000;

const runFolderName = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Removes the parameter files of runs that have ended. If a file cannot be removed, for example because the disk is
 * read-only, the failure is logged once and the removal is retried until it succeeds.
 */
export class ParameterFiles {
  readonly #runsFolder: string;
  readonly #log: Log;
  /** Removals that failed, by file. */
  readonly #pending = new Map<string, () => Promise<void>>();
  #retry: NodeJS.Timeout | undefined;

  constructor({ runsFolder, log }: { runsFolder: string; log: Log }) {
    this.#runsFolder = runsFolder;
    this.#log = log;
  }

  /** Whether no file is left to remove: the executor has removed it when it observed the end. */
  isGone({ path, parameterFile }: Omit<RunPaths, 'resultFile'>): boolean {
    return isMissing(parameterFile) && isMissing(join(path, parameterDraftName));
  }

  remove(runId: string): Promise<void> {
    const folder = join(this.#runsFolder, runId);
    return this.#remove(runId, parameterFileName, () => removeParameterFile(folder));
  }

  /** Removes the secrets that a run has left for its next attempt. */
  removeSecrets(runId: string): Promise<void> {
    const folder = join(this.#runsFolder, runId);
    return this.#remove(runId, secretsFileName, () => removeSecretsFile(folder));
  }

  async #remove(runId: string, name: string, remove: () => Promise<void>): Promise<void> {
    const file = join(runId, name);
    try {
      await remove();
      this.#pending.delete(file);
    } catch (error) {
      if (!this.#pending.has(file))
        this.#log.error({ err: error, run: runId, name }, 'cannot remove a parameter file yet');
      this.#pending.set(file, () => this.#remove(runId, name, remove));
      this.#retry ??= setTimeout(() => void this.#removeLeft(), retryMs).unref();
    }
  }

  /**
   * Removes all files that were prepared for a refused run. A folder that cannot be removed is removed at the next
   * start.
   */
  async discard(runId: string): Promise<void> {
    await this.remove(runId);
    await this.removeSecrets(runId);
    await removeFolder(join(this.#runsFolder, runId)).catch((error: unknown) => {
      this.#log.warn({ err: error, run: runId }, 'cannot remove the folder of a refused run yet');
    });
  }

  /**
   * Removes files that earlier services and executors left behind. `folders` lists the folders from before new runs
   * were accepted. `isAwaited` returns whether a run is tried again.
   */
  async sweep(
    folders: readonly string[],
    { isLive, isAwaited }: { isLive: (runId: string) => boolean; isAwaited: (runId: string) => boolean },
  ): Promise<void> {
    for (const runId of folders) {
      if (!runFolderName.test(runId) || isLive(runId)) continue;
      await this.remove(runId);
      if (!isAwaited(runId)) await this.removeSecrets(runId);
    }
  }

  async #removeLeft(): Promise<void> {
    this.#retry = undefined;
    for (const removeAgain of [...this.#pending.values()]) await removeAgain();
  }
}

function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Creates the folder of a run, and the parameter file that the script reads. */
export async function writeParameterFile(
  folder: RunPaths,
  content: ParameterFileContent,
  { durable }: { durable: boolean },
): Promise<void> {
  await makePrivateFolder(folder.path);
  const file = {
    environment: {
      api_base: content.apiBase,
      output_json: folder.resultFile,
      run_id: content.runId,
      script_id: content.scriptId,
      script_dir: content.scriptFolder,
      run_dir: folder.path,
      invoke_mode: content.invokeMode,
      encoding: 'utf-8',
    },
    data: content.data,
    params: content.params,
  };
  await writePrivateFile(folder.parameterFile, JSON.stringify(file, null, 2), { durable });
}

/**
 * Updates the parameter file of a run that was queued by an earlier service. The new service may have another address,
 * and the script may have been replaced by another version.
 */
export async function renewParameterFile(
  folder: RunPaths,
  { apiBase, scriptFolder }: { apiBase: (token: string) => string; scriptFolder: string },
): Promise<void> {
  const file: unknown = JSON.parse(await readFile(folder.parameterFile, 'utf8'));
  if (!isJsonObject(file) || !isJsonObject(file.environment)) return;
  const { environment } = file;
  const token = String(environment.api_base).split('/').at(-1) ?? '';
  const renewed = { ...environment, api_base: apiBase(token), script_dir: scriptFolder };
  if (renewed.api_base === environment.api_base && renewed.script_dir === environment.script_dir) return;
  const content = JSON.stringify({ ...file, environment: renewed }, null, 2);
  // A service that is killed here leaves the draft behind. The draft always has the same name, so it is removed with
  // the file.
  const draft = join(folder.path, parameterDraftName);
  await rm(draft, { force: true });
  await writePrivateFile(draft, content, { durable: true });
  await rename(draft, folder.parameterFile);
}

/** The secret params of a run for its next attempt. It is written before the run starts, and the record of the run has no secrets. */
export async function writeSecretsFile(
  folder: Pick<RunPaths, 'path'>,
  secrets: JsonObject,
  { durable }: { durable: boolean },
): Promise<void> {
  await writePrivateFile(join(folder.path, secretsFileName), JSON.stringify(secrets), { durable });
}

/** Null if the file is gone or was changed by the script, which can write to its run folder. */
export async function readSecretsFile({ path }: Pick<RunPaths, 'path'>): Promise<JsonObject | null> {
  const read = await readRegularFile(join(path, secretsFileName), {
    maxBytes: mostSecretBytes,
    ownOnly: true,
  });
  if (read.kind !== 'content') return null;
  try {
    const secrets: unknown = JSON.parse(read.bytes.toString());
    return isJsonObject(secrets) ? secrets : null;
  } catch {
    return null;
  }
}

async function removeSecretsFile(runFolder: string): Promise<void> {
  if (isOwnFolder(runFolder)) await remove(runFolder, secretsFileName);
}

/** The file in the folder of a run that contains its secret params until the series of its attempts has ended. */
export const secretsFileName = 'secrets.json';

/** More than any request body holds. */
const mostSecretBytes = 64 * 1024 * 1024;

/** The file in the folder of a run that contains its parameters, including all secrets. */
export const parameterFileName = 'params.json';

/** A new version of that file while it is being written. */
export const parameterDraftName = 'params.json.new';

/**
 * Removes the parameter file of a run, or anything that the script put in its place. Links are not followed. A file
 * that cannot be removed is emptied. Rejects if emptying fails, too.
 */
export async function removeParameterFile(runFolder: string): Promise<void> {
  if (!isOwnFolder(runFolder)) return;
  await remove(runFolder, parameterFileName);
  // A check takes less time than the error of a removal.
  if (!isMissing(join(runFolder, parameterDraftName))) await remove(runFolder, parameterDraftName);
}

async function remove(folder: string, name: string): Promise<void> {
  const file = join(folder, name);
  if (isUnlinked(file)) return;
  try {
    await permitted([folder], () => removeFolder(file));
  } catch (error) {
    if (!(await isEmptied(file).catch(() => false))) throw error;
  }
}

/** Removes a file, which is nearly always there, or a link. Returns whether nothing is left at the path. */
function isUnlinked(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

/** Empties a file, unless it has a second hard link. Returns whether it was emptied. */
async function isEmptied(file: string): Promise<boolean> {
  if (!(await lstat(file)).isFile()) return false;
  await chmod(file, 0o600);
  const handle = await open(file, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.nlink !== 1) return false;
    await handle.truncate();
    return true;
  } finally {
    await handle.close();
  }
}

const memoryFileSystem = '/dev/shm';

/** A link in that folder that points to the home. */
const homeLink = 'home';

/**
 * Releases up to 0.1 kept some parameter files in shared memory. Removes these files, except those of runs that still
 * execute, which a later start removes. Delete this function one release after 0.1.
 */
export async function removeMemoryFolder(home: string, isLive: (runId: string) => boolean): Promise<void> {
  const folder = memoryFolderOf(home);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  // Every user may create files in this file system.
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return;
  const runIds = (await readdir(folder)).filter((name) => name !== homeLink);
  const ended = runIds.filter((runId) => !isLive(runId));
  for (const runId of ended) await removeFolder(join(folder, runId));
  if (ended.length < runIds.length) return;
  rmSync(join(folder, homeLink), { force: true });
  rmdirSync(folder);
}

export function memoryFolderOf(home: string): string {
  const { dev, ino } = statSync(home);
  const hash = createHash('sha256').update(`${dev}:${ino}:${home}`).digest('hex');
  return join(memoryFileSystem, `hob-${process.getuid?.()}-${hash.slice(0, 16)}`);
}
