import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { errorIn, numberOf, objectsIn, textOf, textsIn } from './answer-fields.ts';
import { curlOf, runLine } from './command-lines.ts';
import { readScript } from './find-script.ts';
import type { InstalledPackage } from './installed-packages.ts';
import { catchInterrupt } from './interrupt.ts';
import { tr } from './language.ts';
import { RefusedError, type ServiceClient } from './service-client.ts';
import { DrawnLine, type Screen } from './terminal/drawn-line.ts';
import { paint } from './terminal/print.ts';
import { problemLines } from './terminal/problem-lines.ts';
import { formatBytes, formatCount } from './terminal/quantities.ts';
import { cutToWidth, printable } from './terminal/text-width.ts';
import { UserError } from './user-error.ts';

/** The part of a package operation that commands show. */
export interface Operation {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly stage: string | null;
  readonly scriptId: string | null;
  readonly scriptName: string | null;
  readonly version: string | null;
  readonly entriesDone: number;
  readonly bytesDone: number;
  /** The run that prepares the environment. */
  readonly runId: string | null;
  readonly warnings: readonly string[];
  readonly problems: readonly ShownProblem[];
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Reason of a failure, with a hint. */
  readonly error: string | null;
}

/** A problem of a package. */
export interface ShownProblem {
  readonly severity: 'error' | 'note';
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
  readonly advice: string;
}

export function readOperation(answer: JsonObject): Operation {
  const shown = (value: Json | undefined) => {
    const text = textOf(value);
    return text === null ? null : printable(text);
  };
  return {
    id: textOf(answer.operation_id) ?? '',
    kind: textOf(answer.kind) ?? '',
    state: textOf(answer.state) ?? '',
    stage: textOf(answer.stage),
    scriptId: shown(answer.script_id),
    scriptName: shown(answer.script_name),
    version: shown(answer.version),
    entriesDone: numberOf(answer.entries_done) ?? 0,
    bytesDone: numberOf(answer.bytes_done) ?? 0,
    runId: textOf(answer.run_id),
    warnings: textsIn(answer.warnings).map(printable),
    problems: objectsIn(answer.problems).map(readProblem),
    startedAt: textOf(answer.started_at) ?? '',
    endedAt: textOf(answer.ended_at),
    error: isJsonObject(answer.error) ? errorIn(answer.error) : null,
  };
}

/** Name and version of the script, or `otherwise` while the name is unknown. */
export function titleOf({ scriptName, version }: Operation, otherwise: string): string {
  if (scriptName === null) return otherwise;
  return version === null ? scriptName : `${scriptName} ${version}`;
}

function readProblem(problem: JsonObject): ShownProblem {
  return {
    severity: problem.severity === 'note' ? 'note' : 'error',
    file: printable(textOf(problem.file) ?? ''),
    line: numberOf(problem.line),
    message: printable(textOf(problem.message) ?? ''),
    advice: printable(textOf(problem.advice) ?? ''),
  };
}

/** Shows the progress of an operation and its preparation log. */
export interface OperationDisplay {
  show(operation: Operation): void;
  /** One line of the log. */
  log(line: string): void;
  /** Removes the progress line. */
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
  const { stage, entriesDone, bytesDone } = operation;
  const now = stages[stage ?? ''] ?? tr('waiting', '等待中');
  const what = `${titleOf(operation, subject)}${tr(': ', '：')}${now}`;
  const isFetching = stage === 'fetching' && entriesDone + bytesDone > 0;
  const amounts = [
    ...(entriesDone > 0 ? [tr(formatCount(entriesDone, 'file'), `${entriesDone} 个文件`)] : []),
    ...(bytesDone > 0 ? [formatBytes(bytesDone)] : []),
  ];
  return isFetching ? [what, ...amounts].join(tr(', ', '，')) : `${what} ...`;
}

/** How long to wait for the rest of the log after the operation has ended. */
const lingerMs = 2000;

/** A log that is followed until it is closed. */
interface FollowedLog {
  /** Waits for the rest of the log. */
  close(): Promise<void>;
}

/** Polling interval: looks smooth and costs the service next to nothing. */
const pollMs = 250;

interface Following {
  readonly client: ServiceClient;
  readonly display: OperationDisplay;
  readonly signal: AbortSignal;
}

/** Shows the progress and the preparation log of an operation until it ends or the signal aborts. */
export async function followOperation(id: string, following: Following): Promise<JsonObject> {
  const { client, display, signal } = following;
  let log: FollowedLog | null = null;
  try {
    for (;;) {
      const answer = await client.get(pathOf(id));
      const operation = readOperation(answer);
      if (log === null && operation.runId !== null)
        log = followLog(client, operation.runId, (line) => display.log(line));
      if (operation.state !== 'running' || signal.aborted) return answer;
      display.show(operation);
      await wait(pollMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    if (!signal.aborted) await log?.close();
    display.clear();
  }
}

/** Cancels an operation and waits until it has ended. */
export async function stopOperation(id: string, client: ServiceClient): Promise<JsonObject> {
  await client.post(`${pathOf(id)}/cancel`).catch((error: unknown) => {
    // The operation has just ended.
    if (!(error instanceof RefusedError && error.code === 'operation-ended')) throw error;
  });
  for (;;) {
    const answer = await client.get(pathOf(id));
    if (readOperation(answer).state !== 'running') return answer;
    await wait(pollMs);
  }
}

function pathOf(id: string): string {
  return `/api/packages/operations/${encodeURIComponent(id)}`;
}

/** Passes each line of both streams of a run to a function. A broken connection is ignored. */
function followLog(client: ServiceClient, runId: string, onLine: (line: string) => void): FollowedLog {
  const controller = new AbortController();
  const streams = (['stdout', 'stderr'] as const).map(async (stream) => {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    try {
      for await (const bytes of client.follow(runId, stream, controller.signal)) {
        const lines = (rest + decoder.write(Buffer.from(bytes))).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) onLine(lastDrawn(line));
      }
    } catch {
      // The service is gone, which the operation reports, or the log was closed.
    }
    if (rest !== '') onLine(lastDrawn(rest));
  });
  return {
    async close() {
      const timer = setTimeout(() => controller.abort(), lingerMs);
      await Promise.all(streams);
      clearTimeout(timer);
    },
  };
}

/** The final text of a line that a tool redrew with carriage returns, such as a progress bar. */
function lastDrawn(line: string): string {
  const drawn = line.replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return stripVTControlCharacters(drawn);
}

interface Request {
  readonly path: string;
  readonly body: JsonObject;
  /** The text to show while the name of the script is unknown. */
  readonly subject: string;
  /** The message after Ctrl-C. */
  readonly onStop: string;
}

/** Starts an operation and shows its progress on stderr. Ctrl-C cancels it. Returns the finished operation. */
export async function carryOut(client: ServiceClient, request: Request): Promise<JsonObject> {
  const interrupt = catchInterrupt();
  try {
    const started = await client.post(request.path, request.body);
    const id = textOf(started.operation_id) ?? '';
    const { signal } = interrupt;
    const display = operationDisplay(process.stderr, request.subject, (text) =>
      paint('dim', text, process.stderr),
    );
    const seen = await followOperation(id, { client, display, signal });
    if (readOperation(seen).state !== 'running') return seen;
    process.stderr.write(`${tr('Stopping ...', '正在停止 ...')}\n`);
    const stopped = await stopOperation(id, client);
    if (readOperation(stopped).state !== 'cancelled') return stopped;
    throw new UserError(request.onStop, interrupt.exitCode);
  } finally {
    interrupt.release();
  }
}

const verbs: Readonly<Record<string, string>> = {
  install: tr('installed', '安装'),
  update: tr('updated', '更新'),
  rollback: tr('rolled back', '回退'),
  prepare: tr('prepared', '准备'),
};

/** Prints the problems and warnings of a finished operation to stderr. Throws if the operation failed. */
export function checkEnd(answer: JsonObject, subject: string): Operation {
  const operation = readOperation(answer);
  const { kind, state, warnings, problems, error } = operation;
  if (problems.length > 0) process.stderr.write(`${problemLines(problems, process.stderr).join('\n')}\n`);
  // Skip warnings that repeat a problem listed above.
  const others = warnings.filter((warning) => !problems.some(({ message }) => warning.includes(message)));
  for (const warning of others) process.stderr.write(tr(`Note: ${warning}\n`, `提示：${warning}\n`));
  if (state === 'done') return operation;
  const title = titleOf(operation, subject);
  const done = verbs[kind] ?? tr('changed', '更改');
  if (state === 'failed')
    throw new UserError(
      tr(
        `${title} could not be ${done}: ${error ?? 'unknown reason.'}`,
        `${title} ${done}失败：${error ?? '原因不明。'}`,
      ),
    );
  throw new UserError(
    tr(
      `${title} was not ${done}: another client cancelled the operation.`,
      `${title} 未能${done}：操作被别人停止了。`,
    ),
  );
}

/** The message after an installation, with the commands that run the script. */
export async function describeInstalled(client: ServiceClient, operation: Operation): Promise<string> {
  const { scriptId } = operation;
  const id = scriptId ?? '';
  const title = titleOf(operation, id);
  const lines = [
    tr(`Installed ${title} (id ${id})`, `已安装 ${title}，ID 为 ${id}`),
    ...(await waysToRun(client, id)),
  ];
  return `${lines.join('\n')}\n`;
}

export function describeUpdated(
  operation: Operation,
  before: InstalledPackage,
  after: InstalledPackage | undefined,
): string {
  const { scriptName, version, scriptId } = operation;
  const name = scriptName ?? printable(before.name);
  const now = version ?? tr('the current version', '当前版本');
  // An up-to-date package is not installed again.
  const isChanged = after?.installedAt !== before.installedAt || after?.version !== before.version;
  const old = before.version === null ? null : printable(before.version);
  if (!isChanged)
    return tr(
      `${name} is unchanged${old === null ? '' : ` at ${old}`}.\n`,
      `${name} 保持${old === null ? '不变' : `在 ${old}`}。\n`,
    );
  const was = old === null ? '' : tr(` (was ${old})`, `（原为 ${old}）`);
  const what =
    version === before.version
      ? tr(`Updated ${name}. The version is still ${now}.`, `已更新 ${name}，版本仍为 ${now}。`)
      : tr(`Updated ${name} to ${now}${was}.`, `已将 ${name} 更新到 ${now}${was}。`);
  // A package with a damaged record has no previous version.
  return after?.canRollBack === true
    ? `${what}\n${tr('To roll back: ', '如需回退：')}hob rollback ${scriptId ?? before.id}\n`
    : `${what}\n`;
}

export function describeRolledBack(operation: Operation): string {
  const { scriptName, version, scriptId } = operation;
  const name = scriptName ?? scriptId ?? '';
  return tr(
    `Rolled back ${name} to ${version ?? 'the previous version'}. Another rollback returns to the newer version.\n`,
    `${name} 已回退到 ${version ?? '之前的版本'}。再次回退会回到较新的版本。\n`,
  );
}

export function describePrepared(operation: Operation, subject: string): string {
  const title = titleOf(operation, subject);
  return operation.runId === null
    ? tr(`${title} is ready. There was nothing to prepare.\n`, `${title} 所需的一切都已就绪。\n`)
    : tr(`The environment of ${title} is ready.\n`, `${title} 的运行环境已准备好。\n`);
}

/** The commands that run a script, to be copied into a shell. */
async function waysToRun(client: ServiceClient, scriptId: string): Promise<string[]> {
  try {
    const script = readScript(await client.get(`/api/scripts/${encodeURIComponent(scriptId)}`));
    return [
      `${tr('Run it: ', '运行：')}${runLine(script)}`,
      `${tr('Over HTTP: ', '或者：')}${curlOf(client, script)}`,
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // These lines are optional: the script is installed.
    return [];
  }
}
