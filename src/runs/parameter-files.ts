import { lstatSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parameterDraftName, removeParameterFile } from '../execution/remove-parameter-file.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import { makePrivateFolder, writePrivateFile } from '../shared/private-files.ts';
import { removeFolder } from '../shared/remove-folder.ts';
import type { RunFolder } from './run.ts';

type InvokeMode = 'node' | 'manual' | 'scheduled';

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
  readonly #log: Logger;
  readonly #pending = new Set<string>();
  #retry: NodeJS.Timeout | undefined;

  constructor({ runsFolder, log }: { runsFolder: string; log: Logger }) {
    this.#runsFolder = runsFolder;
    this.#log = log;
  }

  /** Whether no file is left to remove: the executor has removed it when it observed the end. */
  isGone({ path, parameterFile }: RunFolder): boolean {
    return isMissing(parameterFile) && isMissing(join(path, parameterDraftName));
  }

  async remove(runId: string): Promise<void> {
    try {
      await removeParameterFile(join(this.#runsFolder, runId));
      this.#pending.delete(runId);
    } catch (error) {
      if (!this.#pending.has(runId))
        this.#log.error({ err: error, run: runId }, 'cannot remove a parameter file yet');
      this.#pending.add(runId);
      this.#retry ??= setTimeout(() => void this.#removeLeft(), retryMs).unref();
    }
  }

  /**
   * Removes all files that were prepared for a refused run. A folder that cannot be removed is removed at the next
   * start.
   */
  async discard(runId: string): Promise<void> {
    await this.remove(runId);
    await removeFolder(join(this.#runsFolder, runId)).catch((error: unknown) => {
      this.#log.warn({ err: error, run: runId }, 'cannot remove the folder of a refused run yet');
    });
  }

  /**
   * Removes files that earlier services and executors left behind. `folders` lists the folders from before new runs
   * were accepted.
   */
  async sweep(folders: readonly string[], isLive: (runId: string) => boolean): Promise<void> {
    for (const runId of folders) if (runFolderName.test(runId) && !isLive(runId)) await this.remove(runId);
  }

  async #removeLeft(): Promise<void> {
    this.#retry = undefined;
    for (const runId of [...this.#pending]) await this.remove(runId);
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
  folder: RunFolder,
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
  folder: RunFolder,
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
