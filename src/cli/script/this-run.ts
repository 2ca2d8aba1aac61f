import { readFile } from 'node:fs/promises';

import { parameterFileOfRun } from '../../settings/run-variables.ts';
import { errnoOf } from '../../shared/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { textOf, textsIn } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { exitCodes, UserError } from '../user-error.ts';

export const fileOption = [
  '--file <path>',
  tr(
    'parameter file, the first argument ("$1") of the script (default: HOB_PARAMETER_FILE)',
    '参数文件，即脚本中的 "$1"（默认：HOB_PARAMETER_FILE）',
  ),
] as const;

/** The run of the calling script. */
export interface ThisRun {
  readonly apiBase: string;
  readonly outputFile: string;
  readonly inputs: readonly string[];
  readonly params: JsonObject;
}

/** Reads the parameter file of the current run. Null if the script was not started by Hob. */
export async function findRun(flag: string | undefined): Promise<ThisRun | null> {
  const path = flag ?? parameterFileOfRun();
  if (path === null) return null;
  const run = runIn(await read(path));
  if (run !== null) return run;
  throw new UserError(
    tr(
      `${path} is not a parameter file. Pass the script's first argument: --file "$1"`,
      `${path} 不是参数文件。请传入脚本的第一个参数：--file "$1"`,
    ),
    exitCodes.usage,
  );
}

export async function needRun(flag: string | undefined): Promise<ThisRun> {
  const run = await findRun(flag);
  if (run !== null) return run;
  throw new UserError(
    tr(
      'This command works only inside a script that Hob runs. If HOB_PARAMETER_FILE is not set, pass the first argument of the script: --file "$1"',
      '此命令要在 Hob 运行的脚本中使用。如果没有 HOB_PARAMETER_FILE，请传入脚本的第一个参数：--file "$1"',
    ),
  );
}

async function read(path: string): Promise<Json> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const errno = errnoOf(error);
    throw new UserError(
      tr(`Cannot read the parameter file ${path} (${errno}).`, `无法读取参数文件 ${path}（${errno}）。`),
    );
  });
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function runIn(file: Json): ThisRun | null {
  if (!isJsonObject(file) || !isJsonObject(file.environment)) return null;
  const { environment, data, params } = file;
  const apiBase = textOf(environment.api_base);
  const outputFile = textOf(environment.output_json);
  if (apiBase === null || outputFile === null) return null;
  const values = isJsonObject(data) ? Object.values(data)[0] : data;
  return { apiBase, outputFile, inputs: textsIn(values), params: isJsonObject(params) ? params : {} };
}
