import type { EventLog } from '../runs/ledger.ts';
import type { RunOutputs, StreamName } from '../runs/output/run-outputs.ts';
import type { RunEnds } from '../runs/run.ts';
import { type BriefRun, isOpen, type RunRecord } from '../runs/run-record.ts';
import type { RunOutcome } from '../runs/run-request.ts';
import type { RunService } from '../runs/run-service.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import type { AgentRequest, ToolAnswer } from './agent.ts';
import { AgentMistake, errorAnswer } from './agent.ts';
import type { Confirmations } from './confirmations.ts';
import type { AgentScript, Offers } from './offers.ts';
import { endedAnswer, isShown, runningAnswer, shownOutputBytes } from './run-answer.ts';
import { type OutputText, readOutput, wholeOutput } from './run-output.ts';
import { readArguments } from './script-tool.ts';

export interface AgentRunsOptions {
  offers: Pick<Offers, 'findScript' | 'isCurrent'>;
  consent: Pick<Confirmations, 'ask'>;
  catalogue: Pick<Catalogue, 'resolve'>;
  runs: Pick<RunService, 'submit' | 'record' | 'cancel' | 'get' | 'getBrief' | 'lastAttempt' | 'events'>;
  runEnds: Pick<RunEnds, 'waitForSeries'>;
  outputs: Pick<RunOutputs, 'extent' | 'read'>;
  eventLog: Pick<EventLog, 'published'>;
  log: Logger;
  /** How long a call takes at most, with the answer of the user. Many agents give up after a minute. */
  patienceMs: number;
  /** How often an agent sees that a call without progress continues. */
  signOfLifeMs: number;
  /** Aborted when the service stops. Its runs continue. */
  closing: AbortSignal;
}

/** The ids of the first and of the last attempt of a run. */
interface Attempts {
  readonly first: string;
  readonly last: string;
}

/** Starts runs for agents, and waits for them. */
export class AgentRuns {
  readonly #options: AgentRunsOptions;

  constructor(options: AgentRunsOptions) {
    this.#options = options;
  }

  /** Calls the tool of a script. A cancelled call stops its run. */
  async call(asked: AgentScript, args: JsonObject, agentRequest: AgentRequest): Promise<ToolAnswer> {
    const { patienceMs, closing } = this.#options;
    const request = { ...agentRequest, report: growing(agentRequest.report) };
    const enough = limited([request.signal, closing], patienceMs);
    try {
      return await this.#callWithin(enough.signal, { asked, args, request });
    } finally {
      enough.end();
    }
  }

  async #callWithin(
    enough: AbortSignal,
    { asked, args, request }: { asked: AgentScript; args: JsonObject; request: AgentRequest },
  ): Promise<ToolAnswer> {
    const { offers, catalogue, runs } = this.#options;
    let runId: string;
    let outcome: Promise<RunOutcome | null>;
    try {
      // Before the user is asked: a call that cannot run needs no answer.
      readArguments(asked, args);
      const refusal = asked.isAsked ? await this.#askUser(asked, args, { request, enough }) : null;
      if (refusal !== null) return errorAnswer(refusal);
      request.signal.throwIfAborted();
      const script = await catalogue.resolve(asked.script.id);
      // The user allowed the script as it was.
      if (asked.isAsked && !offers.isCurrent(asked)) return errorAnswer(unaskedTexts.changed);
      const submitted = await runs.submit({
        ...readArguments({ ...asked, script }, args),
        script,
        origin: 'mcp',
        client: request.client,
        caller: null,
        depth: 0,
        sync: false,
        language: 'en',
      });
      ({ runId } = submitted);
      // A run that could not start ends as well, and its record says why.
      outcome = submitted.outcome.catch(() => null);
    } catch (error) {
      if (error instanceof AppError) return errorAnswer(refusalText(error));
      throw error;
    }
    const stop = () => this.#cancel(runId);
    request.signal.addEventListener('abort', stop, { once: true });
    if (request.signal.aborted) stop();
    try {
      return await this.#answerAfter(orAborted(outcome, enough), { first: runId, last: runId }, request);
    } finally {
      request.signal.removeEventListener('abort', stop);
    }
  }

  /** Waits for a run and its further attempts, up to the patience of agents. Returns its result, or that it continues. */
  async follow(runId: string, agentRequest: AgentRequest): Promise<ToolAnswer> {
    const { runs, runEnds, patienceMs, closing } = this.#options;
    const request = { ...agentRequest, report: growing(agentRequest.report) };
    const last = runs.lastAttempt(runId).runId;
    const enough = limited([request.signal, closing], patienceMs);
    try {
      const end = runEnds.waitForSeries(runId, enough.signal).then(() => null);
      return await this.#answerAfter(end, { first: runId, last }, request);
    } finally {
      enough.end();
    }
  }

  async #answerAfter(
    end: Promise<RunOutcome | null>,
    attempts: Attempts,
    request: AgentRequest,
  ): Promise<ToolAnswer> {
    const { runs } = this.#options;
    const runId = attempts.first;
    const watch = this.#showProgress(attempts, request);
    try {
      const outcome = await end;
      // The agent looks for it by its id.
      runs.record(runId);
      const last = runs.lastAttempt(runId);
      if (isOpen(last)) return runningAnswer(last, watch.latest);
      const run = runs.get(last.runId);
      const [stdout, stderr] = await Promise.all([
        this.#shownEnd(run, 'stdout', outcome),
        this.#shownEnd(run, 'stderr', outcome),
      ]);
      return endedAnswer(run, { stdout, stderr });
    } catch (error) {
      if (error instanceof AppError) return errorAnswer(refusalText(error));
      throw error;
    } finally {
      watch.end();
    }
  }

  /** A run that agents may see: one of an offered script. */
  async find(runId: string): Promise<{ run: BriefRun; asked: AgentScript }> {
    const run = this.#known(runId);
    const asked = await this.#options.offers.findScript(run.scriptId);
    if (asked === null)
      throw new AgentMistake(
        `The run ${runId} is of a script that is not offered to agents. hob_runs lists those you may see.`,
      );
    return { run, asked };
  }

  #known(runId: string): BriefRun {
    try {
      return this.#options.runs.getBrief(runId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AgentMistake(`There is no run ${runId}. hob_runs lists those you may see.`);
    }
  }

  record(runId: string): RunRecord {
    return this.#options.runs.get(runId);
  }

  /** Stops a run that this agent started. */
  async cancel(runId: string, { client }: AgentRequest): Promise<void> {
    const { run } = await this.find(runId);
    if (run.origin !== 'mcp' || run.client !== client)
      throw new AgentMistake(
        `The run ${runId} was started by ${run.client ?? 'the user or another program'}, so you cannot cancel it. Ask the user to cancel it with \`hob cancel ${runId}\` or in the console.`,
      );
    if (!isOpen(this.#options.runs.lastAttempt(run.firstRunId ?? run.runId)))
      throw new AgentMistake(`The run ${runId} has already ended. hob_wait returns its result.`);
    this.#options.runs.cancel(run.runId);
  }

  read(
    run: BriefRun,
    stream: StreamName,
    part: { from: number | null; mostBytes: number },
  ): Promise<OutputText> {
    return readOutput(this.#options.outputs, run, { stream, ...part });
  }

  async #askUser(
    asked: AgentScript,
    args: JsonObject,
    { request: { client, report }, enough }: { request: AgentRequest; enough: AbortSignal },
  ): Promise<string | null> {
    const { consent, signOfLifeMs } = this.#options;
    const showWaiting = () => report?.({ progress: 0, message: 'Waiting for the user to allow this call' });
    showWaiting();
    const timer = report === null ? undefined : setInterval(showWaiting, signOfLifeMs);
    try {
      const answer = await consent.ask({ asked, client, args }, enough);
      return answer === 'allowed' ? null : unaskedTexts[answer];
    } finally {
      clearInterval(timer);
    }
  }

  /** Runs continue when the service stops, which also aborts all requests. */
  #cancel(runId: string): void {
    const { runs, closing, log } = this.#options;
    if (closing.aborted) return;
    try {
      runs.record(runId);
      runs.cancel(runId);
    } catch (error) {
      // It ended just now.
      if (error instanceof AppError)
        log.debug({ run: runId, code: error.code }, 'the run of an agent has ended');
      else log.error({ err: error, run: runId }, 'cannot cancel the run of an agent');
    }
  }

  async #shownEnd(run: RunRecord, stream: StreamName, outcome: RunOutcome | null): Promise<OutputText> {
    if (!isShown(run, stream)) return wholeOutput('');
    const text = outcome?.runId === run.runId ? outcome.shortOutput?.[stream] : undefined;
    const whole = text === undefined ? null : wholeOutput(text);
    if (whole !== null && whole.endBytes <= shownOutputBytes) return whole;
    return this.read(run, stream, { from: null, mostBytes: shownOutputBytes });
  }

  /** Passes the progress of a run and of its further attempts on, and a sign of life while there is none. */
  #showProgress({ first, last }: Attempts, { report }: AgentRequest) {
    const { runs, eventLog, signOfLifeMs } = this.#options;
    let current = last;
    const beganMs = performance.now();
    let latest: string | null = null;
    const show = (fraction: number | null, message: string | null) =>
      report?.({
        progress: (fraction ?? 0) * fullProgress,
        ...(fraction !== null && { total: fullProgress }),
        ...(message !== null && { message }),
      });
    const ignoreAttempts = runs.events.subscribe(({ type, run }) => {
      if (type !== 'queued' || run.firstRunId !== first) return;
      current = run.runId;
      latest = null;
    });
    const ignoreProgress = eventLog.published.subscribe(({ type, runId, data }) => {
      if (type !== 'run.progress' || runId !== current) return;
      const { fraction, message } = readProgress(data);
      latest = [fraction === null ? null : `${Math.round(fraction * fullProgress)} %`, message]
        .filter((part) => part !== null)
        .join(', ');
      show(fraction, message);
    });
    const timer =
      report === null
        ? undefined
        : setInterval(
            () => show(null, latest ?? `Running for ${Math.round((performance.now() - beganMs) / 1000)} s`),
            signOfLifeMs,
          );
    return {
      get latest() {
        return latest;
      },
      end() {
        ignoreAttempts();
        ignoreProgress();
        clearInterval(timer);
      },
    };
  }
}

const fullProgress = 100;
const smallestStep = 0.001;

/** The texts for an agent whose call the user has not allowed. */
const unaskedTexts = {
  refused: 'The user refused this call. Do not try again unless the user asks you to.',
  changed:
    'The script changed while the call waited for the user, or it is no longer offered to you, so nothing ran. List the tools again, then call the tool again if it is still there.',
  'too-many':
    'Too many calls wait for the answer of the user, so this one was not asked. Wait until the user has answered them.',
  unanswered:
    'The user must allow this call and has not answered yet. Ask the user to open the page Agents of the Hob console and allow it, then call this tool again with the same arguments.',
} as const;

/** The text of an error for an agent, which knows arguments instead of `params` and `data`. */
export function refusalText({ text, hint }: AppError): string {
  const plain = text.en.replace(/\b(?:params|data)\.(?=\S)/g, '');
  return hint === undefined ? plain : `${plain} ${hint.en}`;
}

/** Makes each value greater than the one before it, as the protocol requires. */
function growing(report: AgentRequest['report']): AgentRequest['report'] {
  if (report === null) return null;
  let last = 0;
  return ({ progress, total, ...shown }) => {
    last = Math.max(progress, last + smallestStep);
    report({ ...shown, progress: last, ...(total !== undefined && { total: Math.max(total, last) }) });
  };
}

/** Null if the signal is aborted before. The promise never rejects. */
function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  return new Promise((resolve) => {
    const giveUp = () => resolve(null);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    void promise.then(resolve);
  });
}

/** A signal that is aborted with one of others, after a time, or by `end`. */
function limited(others: readonly AbortSignal[], ms: number): { signal: AbortSignal; end: () => void } {
  const over = new AbortController();
  const end = () => {
    clearTimeout(timer);
    for (const other of others) other.removeEventListener('abort', end);
    over.abort();
  };
  const timer = setTimeout(end, ms);
  for (const other of others) other.addEventListener('abort', end);
  if (others.some(({ aborted }) => aborted)) end();
  return { signal: over.signal, end };
}

function readProgress(data: string): { fraction: number | null; message: string | null } {
  const parsed = tryParseJson(data);
  if (!isJsonObject(parsed)) return { fraction: null, message: null };
  const { fraction, message } = parsed;
  return {
    fraction: typeof fraction === 'number' ? fraction : null,
    message: typeof message === 'string' ? message : null,
  };
}
