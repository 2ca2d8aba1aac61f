import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { ServiceClient } from '../service-client.ts';
import { ask, canAsk } from '../terminal/ask.ts';
import { printJson } from '../terminal/print-json.ts';
import { askForMissing } from './ask-params.ts';
import { Connection } from './connection.ts';
import { inputValues } from './input-values.ts';
import { readParamArguments } from './param-arguments.ts';
import { PipedInput } from './read-stdin.ts';
import { findScript } from './script-shape.ts';
import { showRun } from './show-run.ts';
import { runIdIn, startRun } from './start-run.ts';
import { runsInBackground, startService } from './start-service.ts';

export interface RunOptions {
  param?: string[];
  undeclared?: boolean;
  async?: boolean;
  follow?: boolean;
  timeout?: number;
  home?: string;
  json?: boolean;
}

const secondMs = 1000;

/** Runs a script. Unless --async is given, shows the run until it ends. */
export async function run(wanted: string, values: readonly string[], options: RunOptions): Promise<void> {
  const connection = new Connection(await serviceOrOffer(options.home), options.home);
  const { script } = await findScript(connection.client, wanted);
  const piped = new PipedInput();
  const data = await inputValues(script, values, piped);
  const given = await readParamArguments(script, {
    texts: options.param ?? [],
    allowsUndeclared: options.undeclared === true,
    piped,
    warn,
  });
  const params = await askForMissing(script, given);
  const isWatched = options.async !== true || options.follow === true;
  const isJson = options.json === true;
  const answer = await startRun(connection, { scriptId: script.id, data, params, isWatched });
  const runId = runIdIn(answer);
  if (isWatched) {
    const timeoutMs = options.timeout === undefined ? null : options.timeout * secondMs;
    await showRun(runId, { connection, isJson, timeoutMs });
  } else if (isJson) printJson(answer);
  else printRunId(runId);
}

/** Prints only the id to stdout, so that a shell can assign it to a variable. */
export function printRunId(runId: string): void {
  process.stdout.write(`${runId}\n`);
  process.stderr.write(
    tr(`To follow the output: hob logs ${runId} -f\n`, `跟踪输出：hob logs ${runId} -f\n`),
  );
}

export function warn(text: string): void {
  process.stderr.write(`${tr('Note: ', '注意：')}${text}\n`);
}

/** The service of a home. If it is not running and there is a terminal, offers to start it. */
async function serviceOrOffer(homeFlag: string | undefined): Promise<ServiceClient> {
  const { home, service } = await findService(homeFlag);
  if (service !== null || !canAsk()) return ServiceClient.find(homeFlag);
  const answer = await ask(
    tr(
      `Hob is not running (home: ${home}). Start it now? [Y/n] `,
      `Hob 没有运行（数据目录：${home}）。现在启动吗？[Y/n] `,
    ),
  );
  if (!/^(?:y|yes|是|)$/i.test(answer.trim())) return ServiceClient.find(homeFlag);
  const client = await startService(home);
  process.stderr.write(runsInBackground(client));
  return client;
}
