import { stripVTControlCharacters } from 'node:util';
import { formatBytes } from '../contract/quantities.ts';
import type { Operation, OperationStarted } from '../contract/types.ts';
import { followWork, stopWork } from './background-work.ts';
import { pathOfRun } from './find-run.ts';
import { catchInterrupt } from './interrupt.ts';
import { tr } from './language.ts';
import { errorText, type ServiceClient } from './service-client.ts';
import { DrawnLine, type Screen } from './terminal/drawn-line.ts';
import { paint, printJson } from './terminal/print.ts';
import { problemLines } from './terminal/problem-lines.ts';
import { cutToWidth, formatCount, printable, printableTexts } from './terminal/text.ts';
import { UserError, userError } from './user-error.ts';

/** Name and version of the script, or `otherwise` while the name is unknown. */
export function titleOf({ script_name, version }: Operation, otherwise: string): string {
  return script_name === null ? otherwise : withVersion(script_name, version);
}

export function withVersion(name: string, version: string | null): string {
  return printable(version === null ? name : `${name} ${version}`);
}

interface OperationDisplay {
  show(operation: Operation): void;
  log(line: string): void;
  clear(): void;
}

const stages: Readonly<Record<string, string>> = {
  fetching: tr('fetching', '正在获取'),
  checking: tr('checking', '正在检查'),
  preparing: tr('preparing the environment', '正在准备运行环境'),
  switching: tr('activating', '正在启用'),
};
const logIndent = '  | ';

/** On a terminal, one line below the log that is redrawn; elsewhere, one line per stage. */
export function operationDisplay(
  screen: Screen,
  subject: string,
  dim: (text: string) => string,
): OperationDisplay {
  const logLine = (line: string) => `${dim(logIndent + printable(line))}\n`;
  if (screen.isTTY !== true) {
    let shownStage: string | null = null;
    return {
      show(operation) {
        if (operation.state !== 'running' || operation.stage === shownStage) return;
        shownStage = operation.stage;
        screen.write(`${progressSentence(operation, subject)}\n`);
      },
      log: (line) => screen.write(logLine(line)),
      clear() {},
    };
  }
  const drawn = new DrawnLine(screen);
  let last: Operation | null = null;
  const draw = (operation: Operation) =>
    drawn.draw((columns) => cutToWidth(progressSentence(operation, subject), columns));
  return {
    show(operation) {
      last = operation;
      draw(operation);
    },
    log(line) {
      drawn.writeAbove(logLine(line));
      if (last !== null) draw(last);
    },
    clear() {
      last = null;
      drawn.clear();
    },
  };
}

/** The current stage: `Resize images 1.0.0: fetching, 12 entries, 3.4 MB`. */
export function progressSentence(operation: Operation, subject: string): string {
  const { stage, entries_done, bytes_done } = operation;
  const now = stages[stage ?? ''] ?? tr('waiting', '等待中');
  const what = `${titleOf(operation, subject)}${tr(': ', '：')}${now}`;
  const isFetching = stage === 'fetching' && entries_done + bytes_done > 0;
  const amounts = [
    ...(entries_done > 0 ? [tr(formatCount(entries_done, 'file'), `${entries_done} 个文件`)] : []),
    ...(bytes_done > 0 ? [formatBytes(bytes_done)] : []),
  ];
  return isFetching ? [what, ...amounts].join(tr(', ', '，')) : `${what} ...`;
}

/** How long to wait for the rest of the log after the operation has ended. */
const lingerMs = 2000;

/** Shows the progress and the preparation log of an operation until it ends or the signal aborts. */
async function followOperation(
  path: string,
  { client, display, signal }: { client: ServiceClient; display: OperationDisplay; signal: AbortSignal },
): Promise<Operation> {
  const logEnd = new AbortController();
  let log: Promise<unknown> | null = null;
  const onProgress = (operation: Operation) => {
    if (operation.run_id !== null) log ??= followLog(client, operation.run_id, logEnd.signal, display);
    if (operation.state === 'running' && !signal.aborted) display.show(operation);
  };
  try {
    return await followWork(client, path, { signal, onProgress });
  } finally {
    if (!signal.aborted) {
      const timer = setTimeout(() => logEnd.abort(), lingerMs);
      await log;
      clearTimeout(timer);
    }
    display.clear();
  }
}

/** Shows each line of both streams of a run. A broken connection is ignored. */
function followLog(
  client: ServiceClient,
  runId: string,
  signal: AbortSignal,
  display: OperationDisplay,
): Promise<unknown> {
  const streams = ['stdout', 'stderr'].map(async (stream) => {
    let rest = '';
    try {
      const { incoming } = await client.open(`${pathOfRun(runId)}/${stream}?follow=true`, { signal });
      for await (const text of incoming.setEncoding('utf8')) {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) display.log(lastDrawn(line));
      }
    } catch {
      // The service is gone, which the operation reports, or the log was closed.
    }
    if (rest !== '') display.log(lastDrawn(rest));
  });
  return Promise.all(streams);
}

/** The final text of a line that a tool redrew with carriage returns, such as a progress bar. */
function lastDrawn(line: string): string {
  const drawn = line.replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return stripVTControlCharacters(drawn);
}

interface Request {
  readonly path: string;
  readonly body?: object;
  /** The text to show while the name of the script is unknown. */
  readonly subject: string;
  readonly onStop: string;
}

/** Starts an operation and shows its progress on stderr. Ctrl-C cancels it. Returns the finished operation. */
export async function carryOut(client: ServiceClient, request: Request): Promise<Operation> {
  const interrupt = catchInterrupt();
  try {
    const { operation_id } = await client.post<OperationStarted>(request.path, request.body);
    const path = `/api/packages/operations/${encodeURIComponent(operation_id)}`;
    const { signal } = interrupt;
    const display = operationDisplay(process.stderr, request.subject, (text) =>
      paint('dim', text, process.stderr),
    );
    const seen = await followOperation(path, { client, display, signal });
    if (seen.state !== 'running') return seen;
    process.stderr.write(`${tr('Stopping ...', '正在停止 ...')}\n`);
    const stopped = await stopWork<Operation>(client, path, 'operation-ended');
    if (stopped.state !== 'cancelled') return stopped;
    throw new UserError(request.onStop, interrupt.exitCode);
  } finally {
    interrupt.release();
  }
}

export async function perform(
  client: ServiceClient,
  request: Request,
  isJson: boolean | undefined,
  describe: (operation: Operation) => string | Promise<string>,
): Promise<void> {
  const operation = await carryOut(client, request);
  if (isJson === true) printJson(operation);
  checkEnd(operation, request.subject);
  if (isJson !== true) process.stdout.write(await describe(operation));
}

const verbs = {
  install: tr('installed', '安装'),
  update: tr('updated', '更新'),
  rollback: tr('rolled back', '回退'),
  prepare: tr('prepared', '准备'),
};

/** Prints the problems and warnings of a finished operation to stderr. Throws if the operation failed. */
export function checkEnd(operation: Operation, subject: string): void {
  const { kind, state, warnings, problems, error } = printableTexts(operation);
  if (problems.length > 0) process.stderr.write(`${problemLines(problems, process.stderr).join('\n')}\n`);
  // Skip warnings that repeat a problem listed above.
  const others = warnings.filter((warning) => !problems.some(({ message }) => warning.includes(message)));
  for (const warning of others) process.stderr.write(tr(`Note: ${warning}\n`, `提示：${warning}\n`));
  if (state === 'done') return;
  const title = titleOf(operation, subject);
  const done = verbs[kind];
  const reason = errorText(error);
  if (state === 'failed')
    throw userError(
      `${title} could not be ${done}: ${reason ?? 'unknown reason.'}`,
      `${title} ${done}失败：${reason ?? '原因不明。'}`,
    );
  throw userError(
    `${title} was not ${done}: another client cancelled the operation.`,
    `${title} 未能${done}：操作被别人停止了。`,
  );
}
