import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { StreamEvent } from '../../client/client.ts';
import { describeEnd } from '../describe-run.ts';
import { getRun, pathOfRun, pickRun, runOrLastArguments } from '../find-run.ts';
import { tr } from '../language.ts';
import { type CommonOptions, countArgument, homeOption, plainJsonOption, withSignature } from '../options.ts';
import { OutputStream, passingDisplay, type StreamName } from '../run-display.ts';
import { followHint, RefusedError, ServiceClient } from '../service-client.ts';
import { showEvent } from '../show-run.ts';
import { printJson } from '../terminal/print.ts';
import { ReportedError } from '../user-error.ts';

const mostLines = 1_000_000;

export function configure(command: Command): void {
  withSignature(command, {
    ...runOrLastArguments,
    '-f, --follow': ['keep printing new output until the run ends', '持续输出，直到脚本结束'],
    '--stdout': ['print only stdout', '只输出 stdout'],
    '--stderr': ['print only stderr', '只输出 stderr', { conflicts: 'stdout' }],
    '--tail <lines>': [
      'print only this many lines from the end of each stream',
      '每个输出流只显示最后若干行',
      { parse: countArgument(0, mostLines) },
    ],
    '--notes': [
      'print the notes of Hob about the run instead of its output',
      '输出 Hob 对该运行的备注，而不是脚本的输出',
      { conflicts: ['follow', 'tail', 'stdout', 'stderr'] },
    ],
    ...homeOption,
    ...plainJsonOption,
  })
    .addHelpText('after', help)
    .action(logs);
}

const help = tr(
  `
Examples:
  hob logs last
  hob logs last "Resize images" --tail 20
  hob logs 93081ff8 -f

The stdout of the run is printed to stdout and its stderr to stderr, byte for byte.
Ctrl-C stops following; the run continues.

With --json the result is one object with the text of each stream. With --json -f
it is one line of JSON per event; the last event is run.ended.`,
  `
示例：
  hob logs last
  hob logs last 图片缩放 --tail 20
  hob logs 93081ff8 -f

stdout 的内容输出到 stdout，stderr 的内容输出到 stderr，逐字节原样。
按 Ctrl-C 只停止跟踪，不会停止运行。

加上 --json 时输出一个对象，包含各个输出流的文本；同时加上 -f 时，
每个事件输出一行 JSON，最后一行是 run.ended。`,
);

interface LogsOptions extends CommonOptions {
  follow?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tail?: number;
  notes?: boolean;
}

/** Prints the output of a run, each stream to the same stream of the command, or follows it until the run ends. */
async function logs(wanted: string, script: string | undefined, options: LogsOptions): Promise<void> {
  const client = await ServiceClient.find(options.home);
  const record = await pickRun(client, wanted, script);
  const runId = record.run_id;
  if (options.notes === true) {
    const answer = await client.open(`${pathOfRun(runId)}/notes`);
    const notes = await client.read(answer.text());
    if (options.json === true) printJson({ run_id: runId, notes });
    else process.stdout.write(notes);
    return;
  }
  const isJson = options.json === true;
  const streams = streamsOf(options);
  const view = isJson ? linesView(runId) : plainView();
  const texts: Record<string, string> = {};
  // Without --tail, a follower gets all output from the events, in the order in which it was written.
  const hasTail = options.tail !== undefined || options.follow !== true;
  const known = { stdout: 0, stderr: 0 };
  for (const stream of hasTail ? streams : []) {
    const { bytes, end } = await readLog(client, `${pathOfRun(runId)}/${stream}`, options.tail);
    if (isJson && options.follow !== true) texts[stream] = bytes.toString();
    else if (bytes.length > 0) await view.output(stream, bytes);
    known[stream] = end;
  }
  if (options.follow !== true) {
    view.clear();
    if (isJson) return printJson({ run_id: runId, ...texts });
    const hasWritten = Number(record.stdout_bytes) + Number(record.stderr_bytes) > 0;
    // For a run without output, show how it ended instead of nothing.
    if (!hasWritten) process.stderr.write(describeEnd(record));
    return;
  }
  client.printWith((line) => view.say(line));
  // Ctrl-C ends the command, not the run.
  for await (const event of client.events(runId, `${known.stdout}-${known.stderr}`)) {
    if (event.type === 'run.output' && !streams.includes(event.data.stream)) continue;
    await view.event(event);
    // Stdout has no reader any more, so there is nothing left to do.
    if (!view.isRead()) throw new ReportedError(0);
  }
  view.clear();
  if (isJson) return;
  const ended = await getRun(client, runId, { hint: followHint(runId) });
  process.stderr.write(describeEnd(ended));
}

function streamsOf({ stdout, stderr }: LogsOptions): StreamName[] {
  if (stdout === true) return ['stdout'];
  return stderr === true ? ['stderr'] : ['stdout', 'stderr'];
}

const lineEnd = 0x0a;
/** Estimated bytes per line. If the first read holds too few lines, a larger one follows. */
const bytesALine = 200;
const leastBytes = 16 * 1024;
const growth = 8;

/** Reads the output of a stream so far: all of it, or its last lines. `end` is the offset after it in the whole output. */
async function readLog(
  client: ServiceClient,
  path: string,
  lines: number | undefined,
): Promise<{ bytes: Buffer; end: number }> {
  if (lines === undefined) {
    const { incoming } = await client.open(path);
    const bytes = await client.read(buffer(incoming));
    return { bytes, end: bytes.length };
  }
  for (let wanted = Math.max(leastBytes, lines * bytesALine); ; wanted *= growth) {
    const answer = await client
      .open(path, { headers: { range: `bytes=-${wanted}` } })
      .catch((error: unknown) => {
        if (error instanceof RefusedError && error.code === 'range-not-satisfiable') return null;
        throw error;
      });
    // The service refuses any byte range of an empty stream.
    if (answer === null) return { bytes: Buffer.alloc(0), end: 0 };
    const bytes = await client.read(buffer(answer.incoming));
    const tail = lastLines(bytes, lines);
    // `bytes 10-19/*` ends before byte 20.
    const [, last] = /^bytes \d+-(\d+)\//.exec(answer.headers.get('content-range') ?? '') ?? [];
    const end = last === undefined ? bytes.length : Number(last) + 1;
    if (tail.length < bytes.length || bytes.length < wanted) return { bytes: tail, end };
  }
}

function lastLines(bytes: Buffer, count: number): Buffer {
  if (count === 0) return bytes.subarray(bytes.length);
  // Skip the line feed that ends the last line.
  let at = bytes.length - 1;
  for (let found = 0; found < count; found++) {
    at = at <= 0 ? -1 : bytes.lastIndexOf(lineEnd, at - 1);
    if (at < 0) return bytes;
  }
  return bytes.subarray(at + 1);
}

/** Copies each stream byte for byte to the same stream of the command. */
function plainView() {
  const display = passingDisplay();
  return { ...display, event: (event: StreamEvent) => showEvent(event, display) };
}

/** One line of JSON per event. */
function linesView(runId: string): Omit<ReturnType<typeof plainView>, 'progress'> {
  const stdout = new OutputStream(process.stdout);
  const printLine = (line: object) => stdout.write(Buffer.from(`${JSON.stringify(line)}\n`));
  return {
    isRead: () => stdout.isOpen,
    output: (stream, bytes) =>
      printLine({ type: 'run.output', run_id: runId, stream, text: Buffer.from(bytes).toString() }),
    event: ({ type, data }) => printLine({ type, ...data }),
    say: (line) => void process.stderr.write(`${line}\n`),
    clear() {},
  };
}
