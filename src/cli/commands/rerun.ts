import type { Command } from 'commander';

import type { Rerun, Run, ScriptDetail } from '../../contract/types.ts';
import type { JsonObject } from '../../shared/json.ts';
import { pathOfRun, pickRun, runArguments } from '../find-run.ts';
import { getScript } from '../find-script.ts';
import {
  type CommonOptions,
  collect,
  helpText,
  homeOption,
  undeclaredOption,
  withSignature,
} from '../options.ts';
import { askFor, PipedInput, readParamArguments } from '../read-params.ts';
import { ServiceClient } from '../service-client.ts';
import { showRun, watchedHeaders } from '../show-run.ts';
import { canAsk } from '../terminal/ask.ts';
import { printable } from '../terminal/text.ts';
import { userError } from '../user-error.ts';

export function configure(command: Command): void {
  withSignature(command, {
    ...runArguments,
    '-p, --param <name=value>': [
      'replace a recorded param; can be repeated',
      '替换记录中的参数，可多次使用',
      { parse: collect },
    ],
    ...undeclaredOption,
    '-f, --follow': [
      'show the new run until it ends, as hob run does',
      '像 hob run 一样显示新的运行，直到结束',
    ],
    ...homeOption,
    '--json': ['print JSON', '以 JSON 输出，供程序使用'],
  })
    .addHelpText('after', help)
    .action(rerun);
}

const help = helpText(
  ['hob rerun last --follow', 'hob rerun 93081ff8 -p quality=60'],
  `Prints the id of the new run. Secrets are not recorded: hob prompts for them, or
reads them from a file with -p name=@file.`,
  `输出新运行的 ID。机密不在记录中，会重新询问，也可以用 -p 名称=@文件 提供。`,
);

interface RerunOptions extends CommonOptions {
  param?: string[];
  undeclared?: boolean;
  follow?: boolean;
}

/** Replaces the value of a secret in a record. */
const secretMask = '***';

async function rerun(wanted: string, script: string | undefined, options: RerunOptions): Promise<void> {
  const client = await ServiceClient.find(options.home);
  const record = await pickRun(client, wanted, script);
  const detail = await getScript(client, record.script_id);
  const given = await readParamArguments(detail, options, new PipedInput());
  const params = await askForSecrets(detail, record, given);
  const isWatched = options.follow === true;
  const path = `${pathOfRun(record.run_id)}/rerun`;
  const answer = await client.post<Rerun>(path, { params }, { headers: watchedHeaders(isWatched) });
  await showRun(answer, { client, isWatched, isJson: options.json === true, timeoutMs: null });
}

/** Prompts for secrets, which are not recorded. */
async function askForSecrets(script: ScriptDetail, record: Run, given: JsonObject): Promise<JsonObject> {
  const needed = script.params.filter(
    ({ name, secret }) => secret && record.params[name] === secretMask && !Object.hasOwn(given, name),
  );
  if (needed.length > 0 && !canAsk()) {
    const flags = needed.map(({ name }) => `-p ${printable(name)}=@file`).join(' ');
    throw userError(
      `Secrets are not recorded. Pass each of them again from a file: ${flags}`,
      `机密参数不会被记录，需要重新提供，每个从文件读取：${flags}`,
    );
  }
  let params = given;
  for (const param of needed) {
    const value = await askFor(param);
    if (value !== undefined) params = { ...params, [param.name]: value };
  }
  return params;
}
