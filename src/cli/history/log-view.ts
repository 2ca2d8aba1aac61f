import type { JsonObject } from '../../shared/json.ts';
import type { SeenEvent } from '../run/event-frames.ts';
import { showEvent } from '../run/follow-run.ts';
import { CollectingDisplay, passingDisplay, type StreamName } from '../run/run-display.ts';
import { OutputStream } from '../terminal/output-stream.ts';
import { printJson } from '../terminal/print-json.ts';

/** How `hob logs` prints what a run has written. */
export interface LogView {
  /** Whether somebody still reads it: `head` does not for long. */
  readonly isRead: boolean;
  /** What was written before somebody looked. */
  part(stream: StreamName, bytes: Uint8Array): Promise<void>;
  event(event: SeenEvent): Promise<void>;
  /** A line of the command itself. */
  say(line: string): void;
  close(): void;
}

/** Byte for byte, each stream to its own. */
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

/** One object with all that was written. */
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

/** One line of JSON for each thing that happens, as it comes. */
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
