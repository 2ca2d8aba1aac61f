import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { parameterDraftName } from '../execution/remove-parameter-file.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { makePrivateFolder, writePrivateFile } from '../shared/private-files.ts';
import type { RunFolder } from './run-folder.ts';

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
