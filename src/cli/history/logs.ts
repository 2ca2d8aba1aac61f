import { textOf } from '../answer-fields.ts';
import { Connection } from '../run/connection.ts';
import { describeEnd } from '../run/describe-end.ts';
import { showEvent } from '../run/follow-run.ts';
import { passingDisplay, type RunDisplay, type StreamName } from '../run/run-display.ts';
import { goesOnText, watchRun } from '../run/watch-run.ts';
import { ServiceClient } from '../service-client.ts';
import { readLog } from './log-tail.ts';
import { pathOfRun, pickRun } from './pick-run.ts';

export interface LogsOptions {
  follow?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tail?: number;
  notes?: boolean;
  home?: string;
}

/** Prints what a run has written, each stream to its own; or follows it to its end. */
export async function logs(wanted: string, script: string | undefined, options: LogsOptions): Promise<void> {
  const client = await ServiceClient.find(options.home);
  const runId = textOf((await pickRun(client, wanted, script)).run_id) ?? '';
  if (options.notes === true) {
    process.stdout.write(await (await client.open(`${pathOfRun(runId)}/notes`)).text());
    return;
  }
  const streams = streamsOf(options);
  const display = passingDisplay();
  // A follower who wants no tail gets everything from the events, in the order in which it was written.
  const hasTail = options.tail !== undefined || options.follow !== true;
  const known = { stdout: 0, stderr: 0 };
  for (const stream of hasTail ? streams : []) {
    const { bytes, end } = await readLog(client, runId, { stream, lines: options.tail ?? null });
    await display.output(stream, bytes);
    known[stream] = end;
  }
  if (options.follow !== true) return display.clear();
  const connection = new Connection(client, options.home);
  await followLog(runId, connection, { display, streams, since: `${known.stdout}-${known.stderr}` });
}

interface Following {
  readonly display: RunDisplay;
  readonly streams: readonly StreamName[];
  readonly since: string;
}

/** Ctrl-C ends the following, as in every such command, and not the run. */
async function followLog(
  runId: string,
  connection: Connection,
  { display, streams, since }: Following,
): Promise<void> {
  connection.tellBy((line) => display.say(line));
  for await (const event of watchRun(runId, connection, since)) {
    const { stream } = event.data;
    if (event.type === 'run.output' && !streams.some((name) => name === stream)) continue;
    await showEvent(event, display);
  }
  display.clear();
  const record = await connection.ask(goesOnText(runId), (client) => client.get(pathOfRun(runId)));
  process.stderr.write(describeEnd(record));
}

function streamsOf({ stdout, stderr }: LogsOptions): StreamName[] {
  if (stdout === true) return ['stdout'];
  return stderr === true ? ['stderr'] : ['stdout', 'stderr'];
}
