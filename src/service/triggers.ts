import { realpathSync } from 'node:fs';
import { join } from 'node:path';

import type { Notifications } from '../notifications/notifications.ts';
import type { KeyedRuns } from '../runs/keys/keyed-runs.ts';
import type { RunService } from '../runs/run-service.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import { isUuid } from '../scripts/slug.ts';
import type { Slugs } from '../scripts/slugs.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { parseHooksAddress } from '../settings/hooks-address.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { userLanguage } from '../settings/user-language.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import type { Database } from '../storage/database.ts';
import { SqliteTriggerStore } from '../storage/sqlite-trigger-store.ts';
import { FolderDriver } from '../triggers/folder/folder-driver.ts';
import type { FoundScript } from '../triggers/read-entry.ts';
import type { OffReason } from '../triggers/schedule/position.ts';
import { Schedules } from '../triggers/schedule/schedules.ts';
import { systemTimer } from '../triggers/schedule/wall-timer.ts';
import { TriggeredRuns } from '../triggers/start-runs.ts';
import type { Trigger, TriggerEntry } from '../triggers/trigger.ts';
import { TriggerFile } from '../triggers/trigger-file.ts';
import { Triggers } from '../triggers/triggers.ts';
import { Webhooks } from '../triggers/webhook/webhooks.ts';

interface TriggerParts {
  settings: LoadedSettings;
  database: Database;
  catalogue: Catalogue;
  slugs: Slugs;
  runs: RunService;
  keyedRuns: KeyedRuns;
  store: RunStore;
  notifications: Notifications;
  secrets: SecretStore;
  log: Logger;
}

/** Errors take longer to read. */
const noticeMs = 10_000;
const hourMs = 3_600_000;

/** Builds the triggers. They start when `start` is called: a run of a trigger needs the address of the service. */
export function composeTriggers(parts: TriggerParts) {
  const { settings, database, catalogue, slugs, runs, keyedRuns, store, notifications, secrets } = parts;
  const log = parts.log.child({ part: 'triggers' });
  const language = userLanguage(settings.environment);
  const keysKeptMs = settings.idempotency_hours * hourMs;
  const triggerStore = new SqliteTriggerStore(database);
  const triggered = new TriggeredRuns({ catalogue, runs, store, keyedRuns, language });
  const notify = (text: Text, trigger?: Trigger) => {
    const script = trigger === undefined ? null : catalogue.find(trigger.scriptId);
    const message = script === null ? text[language] : `${script.name}: ${text[language]}`;
    notifications.show({ type: 'error', message, durationMs: noticeMs, showClose: false, run: null });
  };
  let secretNames = namesOf(secrets, log);
  const webhooks = new Webhooks({
    address: parseHooksAddress(settings.hooks_listen),
    runs: triggered,
    store: triggerStore,
    secrets,
    clock: systemClock,
    log: log.child({ kind: 'webhook' }),
    keepIdsMs: keysKeptMs,
    notify,
    onChange: () => triggers.changed.publish(),
  });
  const schedules = new Schedules({
    store: triggerStore,
    runs: triggered,
    timer: systemTimer(settings.environment.TZ),
    log,
    notify,
    unable: () => new Map(triggers.entries.flatMap(whyUnable)),
    keysKeptMs,
  });
  const triggers: Triggers = new Triggers({
    file: new TriggerFile(join(settings.home, 'triggers.toml'), log),
    context: {
      findScript: (idOrSlug) => findScript(idOrSlug, { catalogue, slugs }),
      hasSecret: (name) => {
        secretNames ??= namesOf(secrets, log);
        return secretNames?.has(name) ?? true;
      },
      homePaths: [settings.home, realpathSync(settings.home)],
    },
    drivers: {
      schedule: schedules,
      folder: new FolderDriver({ store: triggerStore, runs: triggered, log, notify, keysKeptMs }),
      webhook: webhooks,
    },
    store: triggerStore,
    runs: triggered,
    log,
    now: () => systemClock.now(),
    notify,
  });
  let unsubscribe = (): void => {};
  return {
    triggers,
    triggerStore,
    async start(): Promise<void> {
      await slugs.update();
      await triggers.start();
      const ends = [
        catalogue.changed.subscribe(() => void slugs.update().then(() => triggers.refresh())),
        secrets.changed.subscribe(() => {
          secretNames = namesOf(secrets, log);
          triggers.refresh();
        }),
      ];
      unsubscribe = () => {
        for (const end of ends) end();
      };
    },
    async close(): Promise<void> {
      unsubscribe();
      await triggers.close();
    },
  };
}

/** Why an entry that is on starts no runs. */
function whyUnable({ id, enabled, trigger, isScriptMissing }: TriggerEntry): [string, OffReason][] {
  if (!enabled || trigger !== null) return [];
  return [[id, isScriptMissing ? 'script-missing' : 'cannot-start']];
}

/** A script as an entry names it: by its id, or by its slug as of the last update. */
function findScript(
  idOrSlug: string,
  { catalogue, slugs }: Pick<TriggerParts, 'catalogue' | 'slugs'>,
): FoundScript {
  const id = isUuid(idOrSlug) ? idOrSlug.toLowerCase() : slugs.known(idOrSlug);
  if (id === null || !catalogue.has(id)) return { kind: 'missing', id };
  const script = catalogue.find(id);
  return script === null ? { kind: 'unusable', id } : { kind: 'found', script };
}

/** Null if the secrets cannot be read: the listener for webhooks stays closed then, and says why. */
function namesOf(secrets: SecretStore, log: Logger): ReadonlySet<string> | null {
  try {
    return new Set(secrets.list().map(({ name }) => name));
  } catch (error) {
    log.error({ err: error }, 'the secrets cannot be read; webhooks stay off');
    return null;
  }
}
