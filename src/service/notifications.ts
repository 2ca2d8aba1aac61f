import { describeEnding } from '../contract/endings.ts';
import { describeDuration } from '../contract/quantities.ts';
import { Bubbles } from '../notifications/bubbles.ts';
import type { Desktop } from '../notifications/desktop/desktop.ts';
import { openDesktop } from '../notifications/desktop/open-desktop.ts';
import { Notifications, type SentNotification } from '../notifications/notifications.ts';
import { Outgoing } from '../notifications/outgoing/outgoing.ts';
import type { EventLog } from '../runs/ledger.ts';
import type { BriefRun, SeriesEnd } from '../runs/run-record.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import type { NotifyOn, Script } from '../scripts/script.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { userLanguage } from '../settings/user-language.ts';
import { systemClock } from '../shared/clock.ts';
import type { Feed } from '../shared/feed.ts';
import type { Logger } from '../shared/log.ts';
import type { Language, Text } from '../shared/text.ts';
import type { Database } from '../storage/database.ts';
import { SqliteNotificationStore } from '../storage/sqlite-notification-store.ts';
import { publishNotifications } from './publish-events.ts';

interface RunEndParts {
  /** Publishes the last attempt of each run. */
  seriesEnds: Feed<SeriesEnd>;
  notifications: Pick<Notifications, 'show'>;
  findScript: (id: string) => Script | null;
  /** The language of the desktop user. */
  language: Language;
}

const successMs = 5000;

/** Errors take longer to read. */
const errorMs = 10_000;

interface NotificationParts {
  database: Database;
  eventLog: EventLog;
  /** Publishes the last attempt of each run. */
  seriesEnds: Feed<SeriesEnd>;
  catalogue: Catalogue;
  settings: LoadedSettings;
  log: Logger;
  version: string;
  /** The addresses of the service; undefined before it listens. */
  listening: () => { readonly url: string; readonly beyond: readonly string[] } | undefined;
}

interface ComposedNotifications {
  notifications: Notifications;
  desktop: Desktop;
  /** Null: the user set no URL. */
  outgoing: Outgoing | null;
  close(): Promise<void>;
}

/** Builds the notifications, and connects them with their senders, with the desktop and with the event log. */
export function composeNotifications(parts: NotificationParts): ComposedNotifications {
  const { database, eventLog, seriesEnds, catalogue, settings, log, listening, version } = parts;
  const { environment } = settings;
  const language = userLanguage(environment);
  const desktopLog = log.child({ part: 'desktop' });
  const desktop = openDesktop({ platform: process.platform, environment, language, log: desktopLog });
  const bubbles = new Bubbles({ desktop, language, log: desktopLog });
  const store = new SqliteNotificationStore(database);
  const notifications = new Notifications({
    store,
    clock: systemClock,
    log,
    addressOf(page) {
      const service = listening()?.url;
      return service === undefined ? null : `${service}${page}`;
    },
    isOutgoing: (notification) => outgoing?.wants(notification) === true,
  });
  if (settings.desktop_notifications) {
    notifications.feed.subscribe(({ scriptName, ...rest }) => {
      bubbles.show({ ...rest, title: scriptName ?? 'Hob' });
    });
  }
  publishNotifications({ notifications, eventLog });
  const outgoing =
    settings.notify_url === ''
      ? null
      : new Outgoing({
          url: new URL(settings.notify_url),
          format: settings.notify_format,
          send: settings.notify_send,
          store,
          addressOf(runId) {
            const [beyond] = listening()?.beyond ?? [];
            const service = beyond ?? listening()?.url;
            if (service === undefined) return null;
            return { url: `${service}/runs/${runId}`, isReachable: beyond !== undefined };
          },
          clock: systemClock,
          log: log.child({ part: 'outgoing' }),
          language,
          version,
        });
  if (outgoing !== null) notifications.feed.subscribe((notification) => outgoing.take(notification));
  notifyRunEnds({
    seriesEnds,
    notifications,
    findScript: (id) => catalogue.find(id),
    language,
  });
  return {
    notifications,
    desktop,
    outgoing,
    async close() {
      outgoing?.close();
      bubbles.close();
      await desktop.close();
    },
  };
}

/** Sends a desktop notification when an asynchronous run ends and is not tried again, if the manifest of its script asks for one. */
export function notifyRunEnds({ seriesEnds, notifications, findScript, language }: RunEndParts): void {
  seriesEnds.subscribe(({ run, wasCancelled }) => {
    // Synchronous callers and agents read the result themselves.
    if (wasCancelled || run.sync || run.origin === 'mcp') return;
    // Uses the current manifest: a change made during the run applies to that run too.
    const notifyOn = findScript(run.scriptId)?.runtime.notifyOn ?? 'never';
    if (isWorthNotifying(run, notifyOn)) notifications.show(describeEnd(run, language));
  });
}

function isWorthNotifying(run: BriefRun, notifyOn: NotifyOn): boolean {
  if (notifyOn !== 'failure') return notifyOn === 'always';
  // The user who cancelled the run or stopped the service already knows.
  const wasStopped = run.endCause === 'cancelled' || run.endCause === 'shutdown';
  return run.state !== 'succeeded' && !wasStopped;
}

function describeEnd(run: BriefRun, language: Language): SentNotification {
  const isSuccess = run.state === 'succeeded';
  const [fallback, durationMs] = isSuccess ? [success(run), successMs] : [failure(run), errorMs];
  return {
    type: isSuccess ? 'success' : 'error',
    message: messageOf(run) ?? `${fallback[language]}${isSuccess ? '' : lastWords(run)}`,
    durationMs,
    showClose: false,
    run,
    end: { state: run.state, endCause: run.endCause, exitCode: run.exitCode },
  };
}

/**
 * The message of the script. A synthesized message is in the language of the caller, so it is used only when it states
 * a reason that no other field has: why the script could not be started.
 */
function messageOf({ envelope, message, endCause }: BriefRun): string | null {
  if (message === null || message.trim() === '') return null;
  return envelope === 'synthesized' && endCause !== 'spawn-failed' ? null : message;
}

function success({ durationMs }: BriefRun): Text {
  const took = describeDuration(durationMs ?? 0);
  return { en: `Done in ${took.en}`, zh: `已完成，用时 ${took.zh}` };
}

function failure({ endCause, exitCode }: BriefRun): Text {
  return describeEnding({ cause: endCause ?? 'lost', exitCode });
}

/** The last output of the script, in any language. It follows Hob's description of a failure. */
function lastWords({ envelope, message }: BriefRun): string {
  const at = envelope === 'synthesized' ? (message?.indexOf('\n') ?? -1) : -1;
  return at < 0 || message === null ? '' : message.slice(at);
}
