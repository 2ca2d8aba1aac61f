import { readFile } from 'node:fs/promises';

import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';

/** The environment to build. */
export interface BuildOrder {
  readonly kind: 'python' | 'node';
  readonly key: string;
  /** The folder of the environment, named after its key. */
  readonly environment: string;
  readonly scriptName: string;
  readonly scriptFolder: string;
  readonly interpreter: string;
  readonly interpreterVersion: string;
  /** For messages. */
  readonly requirements: readonly string[];
  /** Python: the requirements file. Node.js: the package.json for the environment. */
  readonly asked: string;
  readonly uvLock: string | null;
  readonly lockFile: string | null;
  /** Paths to copy, relative to the folder of the script. */
  readonly copies: readonly string[];
  /** Fingerprints and paths of the input files, alternating. If one changes, the key is no longer valid. */
  readonly inputs: readonly string[];
}

export interface Job {
  readonly order: BuildOrder;
  readonly outputJson: string;
}

/** Reads the order from a parameter file. */
export async function readJob(parameterFile: string): Promise<Job> {
  const file: unknown = JSON.parse(await readFile(parameterFile, 'utf8'));
  if (!isJsonObject(file) || !isJsonObject(file.environment) || !isJsonObject(file.params)) {
    throw new Error(`${parameterFile} is not a parameter file`);
  }
  const { params } = file;
  return {
    outputJson: textOf(file.environment, 'output_json'),
    order: {
      kind: textOf(params, 'kind') === 'node' ? 'node' : 'python',
      key: textOf(params, 'key'),
      environment: textOf(params, 'environment'),
      scriptName: textOf(params, 'script_name'),
      scriptFolder: textOf(params, 'script_folder'),
      interpreter: textOf(params, 'interpreter'),
      interpreterVersion: textOf(params, 'interpreter_version'),
      requirements: listOf(params.requirements),
      asked: textOf(params, 'asked'),
      uvLock: optionalText(params.uv_lock),
      lockFile: optionalText(params.lock_file),
      copies: listOf(params.copies),
      inputs: listOf(params.inputs),
    },
  };
}

function textOf(table: JsonObject, name: string): string {
  const value = table[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`the parameter "${name}" is missing`);
}

function optionalText(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function listOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
