import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import { textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { askFor } from '../run/ask-params.ts';
import { Connection } from '../run/connection.ts';
import { readParamArguments } from '../run/param-arguments.ts';
import { PipedInput } from '../run/read-stdin.ts';
import { printRunId, warn } from '../run/run.ts';
import { readScript, type ScriptShape, type ShownParam } from '../run/script-shape.ts';
import { showRun } from '../run/show-run.ts';
import { runIdIn, watchedHeaders } from '../run/start-run.ts';
import { ServiceClient } from '../service-client.ts';
import { canAsk } from '../terminal/ask.ts';
import { printJson } from '../terminal/print-json.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';
import { pathOfRun, pickRun } from './pick-run.ts';

export interface RerunOptions {
  param?: string[];
  undeclared?: boolean;
  follow?: boolean;
  home?: string;
  json?: boolean;
}

/** Replaces the value of a secret in a record. */
const secretMask = '***';

/** Repeats a run with its recorded input and params, some of which can be replaced. */
export async function rerun(
  wanted: string,
  script: string | undefined,
  options: RerunOptions,
): Promise<void> {
  const client = await ServiceClient.find(options.home);
  const record = await pickRun(client, wanted, script);
  const shape = readScript(
    await client.get(`/api/scripts/${encodeURIComponent(textOf(record.script_id) ?? '')}`),
  );
  const given = await readParamArguments(shape, {
    texts: options.param ?? [],
    allowsUndeclared: options.undeclared === true,
    piped: new PipedInput(),
    warn,
  });
  const params = await askForSecrets(shape, record, given);
  const isWatched = options.follow === true;
  const path = `${pathOfRun(textOf(record.run_id) ?? '')}/rerun`;
  const answer = await client.post(path, { params }, watchedHeaders(isWatched));
  const runId = runIdIn(answer);
  const isJson = options.json === true;
  if (isWatched) await showRun(runId, { connection: new Connection(client, options.home), isJson });
  else if (isJson) printJson(answer);
  else printRunId(runId);
}

/** Prompts for secrets, which are not recorded. */
async function askForSecrets(
  script: ScriptShape,
  record: JsonObject,
  given: JsonObject,
): Promise<JsonObject> {
  const recorded = isJsonObject(record.params) ? record.params : {};
  const needed = script.params.filter(
    ({ name, isSecret }) => isSecret && recorded[name] === secretMask && !Object.hasOwn(given, name),
  );
  if (needed.length > 0 && !canAsk()) throw secretsMissing(needed);
  let params = given;
  for (const param of needed) {
    const value = await askFor(param);
    if (value !== undefined) params = { ...params, [param.name]: value };
  }
  return params;
}

function secretsMissing(needed: readonly ShownParam[]): UserError {
  const flags = needed.map(({ name }) => `-p ${printable(name)}=@file`).join(' ');
  return new UserError(
    tr(
      `Secrets are not recorded. Pass each of them again from a file: ${flags}`,
      `机密参数不会被记录，需要重新提供，每个从文件读取：${flags}`,
    ),
  );
}
