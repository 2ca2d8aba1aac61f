import { existsSync } from 'node:fs';

import { endWithoutProcess, type RunEnd } from '../execution/messages.ts';
import type { Script } from '../scripts/script.ts';
import { assertNever } from '../shared/assert-never.ts';
import { isExhaustion } from '../shared/errors.ts';
import type { Text } from '../shared/text.ts';
import { claimOf, type Gate } from './gate.ts';
import { type LiveRuns, Run, stopCauseOf } from './run.ts';
import type { RunCarrier } from './run-carrier.ts';
import type { RunRecord } from './run-record.ts';
import type { RunServiceOptions } from './run-request.ts';

interface RecoveryParts {
  options: RunServiceOptions;
  gate: Gate;
  live: LiveRuns;
  carrier: RunCarrier;
  /** Queues a run that has not started, like a new one. */
  launch: (run: Run, script: Script) => void;
  reportDefect: (run: Run, error: unknown) => void;
}

/** Recovers the runs that an earlier service left unfinished. No run is executed twice, and every run gets its end. */
export function recoverRuns(parts: RecoveryParts): void {
  const { options, live, launch, reportDefect } = parts;
  // Register all runs before attaching to the first: its end may concern another one.
  const unfinished = options.store.unfinished().map((record) => {
    const script = options.findScript(record.scriptId);
    const isKeyed = options.keys.isHeld(record.runId);
    const run = new Run({ ...options, record, script, language: 'zh', isKeyed, acceptance: null });
    live.add(run);
    return { run, script };
  });
  options.ledger.recover(unfinished.map(({ run }) => run));
  const recovered = unfinished.map((each) => ({ ...each, ended: endOf(parts, each) }));
  // First the runs that may still execute, so that they have their slots before queued runs compete for them.
  for (const { run, script, ended } of recovered) {
    if (ended !== null) adoptRun(parts, run, script, ended).catch((error) => reportDefect(run, error));
  }
  for (const { run, script, ended } of recovered) {
    if (ended === null && script !== null) launch(run, script);
  }
  options.executor.catchUp();
}

/** The end of an unfinished run, known or still awaited; null if the run has not started and can start. */
function endOf(
  { options, live }: RecoveryParts,
  { run, script }: { run: Run; script: Script | null },
): Promise<RunEnd> | null {
  const { runId, state, executor } = run.record;
  const hooks = {
    started: () => options.ledger.started(run),
    timedOut: () => live.stopChildren(runId, 'cancelled'),
  };
  const attachment =
    state === 'queued' ? ({ kind: 'never-given' } as const) : options.executor.attach(runId, executor, hooks);
  switch (attachment.kind) {
    case 'attached':
      return attachment.end;
    case 'unknown':
      return Promise.resolve(endWithoutProcess(runId, 'lost'));
    case 'never-given':
      // The caller of a synchronous run is gone and could not use its result now, unless it has a key.
      if (!run.isDurable) return Promise.resolve(endWithoutProcess(runId, 'lost'));
      // The file was removed when the run was cancelled in the queue, but that service could not record the end.
      if (!existsSync(run.folder.parameterFile))
        return Promise.resolve(endWithoutProcess(runId, 'cancelled'));
      return script === null ? Promise.resolve(endWithoutProcess(runId, 'spawn-failed')) : null;
    default:
      return assertNever(attachment);
  }
}

/** Waits for a run that an earlier service started. It already executes, so it gets a slot regardless of the limits. */
async function adoptRun(
  { options, gate, carrier }: RecoveryParts,
  run: Run,
  script: Script | null,
  ended: Promise<RunEnd>,
): Promise<void> {
  const { runId, scriptId, sync, parentRunId } = run.record;
  const { signal } = run.stopping;
  const place = gate.adopt(
    claimOf(runId, { id: scriptId, runtime: script?.runtime }, sync ? parentRunId : null),
  );
  signal.addEventListener('abort', () => options.executor.stop(runId, stopCauseOf(signal)));
  try {
    const end = await ended;
    const isScriptGone = script === null && end.cause === 'spawn-failed';
    await carrier.conclude(run, end, {
      unavailable: isScriptGone ? scriptGone(run.record) : null,
      isRefused: isExhaustion(end.spawnError ?? undefined),
    });
  } finally {
    place.release();
  }
}

function scriptGone(record: RunRecord): Text {
  return {
    en: `The script "${record.scriptName}" was removed while this run was queued.`,
    zh: `排队期间脚本 "${record.scriptName}" 已被移除。`,
  };
}
