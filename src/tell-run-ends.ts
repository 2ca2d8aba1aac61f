import type { Notifications, SentNotification } from './notifications/notifications.ts';
import type { RunEvent } from './runs/events/run-events.ts';
import type { BriefRun } from './runs/run-record.ts';
import type { NotifyOn, Script } from './scripts/script.ts';
import { describeDuration } from './shared/describe-duration.ts';
import type { Feed } from './shared/feed.ts';
import type { Language, Text } from './shared/text.ts';

interface RunEndParts {
  events: Feed<RunEvent>;
  notifications: Pick<Notifications, 'show'>;
  findScript: (id: string) => Script | null;
  /** What the person at the desk reads. */
  language: Language;
}

const successMs = 5000;
/** Bad news take longer to read. */
const errorMs = 10_000;

/** Tells the person at the desk of the ends of runs that nobody waits for, where the manifest of the script asks for it. */
export function tellRunEnds({ events, notifications, findScript, language }: RunEndParts): void {
  events.subscribe(({ type, run }) => {
    if (type !== 'ended' || run.sync) return;
    // As the manifest stands now: whoever has just changed it means this run, too.
    const notifyOn = findScript(run.scriptId)?.runtime.notifyOn ?? 'never';
    if (isWorthTelling(run, notifyOn)) notifications.show(describeEnd(run, language));
  });
}

function isWorthTelling(run: BriefRun, notifyOn: NotifyOn): boolean {
  if (notifyOn !== 'failure') return notifyOn === 'always';
  // Who cancelled it, or told the service to stop everything, knows.
  const wasStopped = run.endCause === 'cancelled' || run.endCause === 'shutdown';
  return run.state !== 'succeeded' && !wasStopped;
}

function describeEnd(run: BriefRun, language: Language): SentNotification {
  const isSuccess = run.state === 'succeeded';
  const [fallback, durationMs] = isSuccess ? [success(run), successMs] : [failure(run), errorMs];
  return {
    type: isSuccess ? 'success' : 'error',
    message: messageOf(run) ?? fallback[language],
    durationMs,
    showClose: false,
    run,
  };
}

/** What the script has to say, or Hob of a failure. That a success left no result is nothing to tell anybody at the desk. */
function messageOf({ state, envelope, message }: BriefRun): string | null {
  if (message === null || message.trim() === '') return null;
  return state === 'succeeded' && envelope === 'synthesized' ? null : message;
}

function success({ durationMs }: BriefRun): Text {
  const took = describeDuration(durationMs ?? 0);
  return { en: `Done in ${took.en}`, zh: `已完成，用时 ${took.zh}` };
}

function failure({ state, exitCode }: BriefRun): Text {
  if (state === 'unknown') return { en: 'Nobody knows how it ended', zh: '结果未知' };
  return { en: `Failed with exit code ${exitCode}`, zh: `失败，退出码 ${exitCode}` };
}
