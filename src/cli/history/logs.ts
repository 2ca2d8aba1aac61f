import { textOf } from '../answer-fields.ts';
import { Connection } from '../run/connection.ts';
import { describeEnd } from '../run/describe-end.ts';
import type { StreamName } from '../run/run-display.ts';
import { followHint, watchRun } from '../run/watch-run.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print-json.ts';
import { ReportedError } from '../user-error.ts';
import { readLog } from './log-tail.ts';
import { type LogView, linesView, objectView, plainView } from './log-view.ts';
import { pathOfRun, pickRun } from './pick-run.ts';

export interface LogsOptions {
  follow?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tail?: number;
  notes?: boolean;
  json?: boolean;
  home?: string;
}

/** Prints the output of a run, each stream to the same stream of the command, or follows it until the run ends. */
export async function logs(wanted: string, script: string | undefined, options: LogsOptions): Promise<void> {
  const client = await ServiceClient.find(options.home);
  const record = await pickRun(client, wanted, script);
  const runId = textOf(record.run_id) ?? '';
  if (options.notes === true) {
    const notes = await (await client.open(`${pathOfRun(runId)}/notes`)).text();
    if (options.json === true) printJson({ run_id: runId, notes });
    else process.stdout.write(notes);
    return;
  }
  const streams = streamsOf(options);
  const view = viewFor(runId, options);
  // Without --tail, a follower gets all output from the events, in the order in which it was written.
  const hasTail = options.tail !== undefined || options.follow !== true;
  const known = { stdout: 0, stderr: 0 };
  for (const stream of hasTail ? streams : []) {
    const { bytes, end } = await readLog(client, runId, { stream, lines: options.tail ?? null });
    if (bytes.length > 0) await view.part(stream, bytes);
    known[stream] = end;
  }
  if (options.follow !== true) {
    view.close();
    const hasWritten = Number(record.stdout_bytes) + Number(record.stderr_bytes) > 0;
    // For a run without output, show how it ended instead of nothing.
    if (!hasWritten && options.json !== true) process.stderr.write(describeEnd(record));
    return;
  }
  const connection = new Connection(client, options.home);
  await followLog(runId, connection, { view, streams, since: `${known.stdout}-${known.stderr}` });
  if (options.json === true) return;
  const ended = await connection.ask(followHint(runId), (current) => current.get(pathOfRun(runId)));
  process.stderr.write(describeEnd(ended));
}

function viewFor(runId: string, options: LogsOptions): LogView {
  if (options.json !== true) return plainView();
  return options.follow === true ? linesView(runId) : objectView(runId, streamsOf(options));
}

interface Following {
  readonly view: LogView;
  readonly streams: readonly StreamName[];
  readonly since: string;
}

/** Follows the events of a run. Ctrl-C ends the command, not the run. */
async function followLog(
  runId: string,
  connection: Connection,
  { view, streams, since }: Following,
): Promise<void> {
  connection.printWith((line) => view.say(line));
  for await (const event of watchRun(runId, connection, since)) {
    const { stream } = event.data;
    if (event.type === 'run.output' && !streams.some((name) => name === stream)) continue;
    await view.event(event);
    // Stdout has no reader any more, so there is nothing left to do.
    if (!view.isRead) throw new ReportedError(0);
  }
  view.close();
}

function streamsOf({ stdout, stderr }: LogsOptions): StreamName[] {
  if (stdout === true) return ['stdout'];
  return stderr === true ? ['stderr'] : ['stdout', 'stderr'];
}
