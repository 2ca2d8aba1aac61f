import type { JsonObject } from '../../shared/json.ts';
import type { SeenEvent } from '../run/event-frames.ts';
import { showEvent } from '../run/follow-run.ts';
import { CollectingDisplay, passingDisplay, type StreamName } from '../run/run-display.ts';
import { OutputStream } from '../terminal/output-stream.ts';
import { printJson } from '../terminal/print-json.ts';

/** An output format of `hob logs`. */
export interface LogView {
  /** Whether stdout still has a reader: a pipe into `head` closes early. */
  readonly isRead: boolean;
  /** Output from before the command started to follow. */
  part(stream: StreamName, bytes: Uint8Array): Promise<void>;
  event(event: SeenEvent): Promise<void>;
  /** A message of the command itself. */
  say(line: string): void;
  close(): void;
}

/** Copies each stream byte for byte to the same stream of the command. */
export function plainView(): LogView {
  const display = passingDisplay();
  return {
    get isRead() {
      return display.isRead;
    },
    part: (stream, bytes) => display.output(stream, bytes),
    event: (event) => showEvent(event, display),
    say: (line) => display.say(line),
    close: () => display.clear(),
  };
}

/** One JSON object with the whole output. */
export function objectView(runId: string, streams: readonly StreamName[]): LogView {
  const display = new CollectingDisplay();
  return {
    isRead: true,
    part: (stream, bytes) => display.output(stream, bytes),
    event: (event) => showEvent(event, display),
    say: (line) => display.say(line),
    close() {
      display.clear();
      printJson({
        run_id: runId,
        ...Object.fromEntries(streams.map((name) => [name, display.textOf(name)])),
      });
    },
  };
}

/** One line of JSON per event. */
export function linesView(runId: string): LogView {
  const stdout = new OutputStream(process.stdout);
  const printLine = (line: JsonObject) => stdout.write(Buffer.from(`${JSON.stringify(line)}\n`));
  return {
    get isRead() {
      return stdout.isOpen;
    },
    part: (stream, bytes) =>
      printLine({ type: 'run.output', run_id: runId, stream, text: Buffer.from(bytes).toString() }),
    event: ({ type, data }) => printLine({ type, ...data }),
    say: (line) => void process.stderr.write(`${line}\n`),
    close() {},
  };
}
