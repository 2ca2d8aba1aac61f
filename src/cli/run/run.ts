import { tr } from '../language.ts';
import { printJson } from '../terminal/print-json.ts';
import { askForMissing } from './ask-params.ts';
import { Connection } from './connection.ts';
import { inputValues } from './input-values.ts';
import { readParamArguments } from './param-arguments.ts';
import { PipedInput } from './read-stdin.ts';
import { findScript } from './script-shape.ts';
import { serviceOrOffer } from './service-or-offer.ts';
import { showRun } from './show-run.ts';
import { runIdIn, startRun } from './start-run.ts';

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
