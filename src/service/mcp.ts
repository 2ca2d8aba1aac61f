import { eventData } from '../http/events/event-data.ts';
import { Confirmations, type Question } from '../mcp/confirmations.ts';
import { Mcp } from '../mcp/mcp.ts';
import { Offers } from '../mcp/offers.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Packages } from '../packages/operations/packages.ts';
import type { HistoryStore } from '../runs/history/history-store.ts';
import type { EventLog } from '../runs/ledger.ts';
import type { RunOutputs } from '../runs/output/run-outputs.ts';
import type { RunEnds } from '../runs/run.ts';
import type { RunService } from '../runs/run-service.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import type { Slugs } from '../scripts/slugs.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { userLanguage } from '../settings/user-language.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import type { Database } from '../storage/database.ts';
import { SqliteAgentChoiceStore } from '../storage/sqlite-agent-choice-store.ts';

interface McpParts {
  settings: LoadedSettings;
  database: Database;
  catalogue: Catalogue;
  slugs: Slugs;
  notifications: Pick<Notifications, 'show'>;
  packages: Pick<Packages, 'uninstalled'>;
  runs: RunService;
  runEnds: RunEnds;
  outputs: RunOutputs;
  eventLog: Pick<EventLog, 'publish' | 'published' | 'ofType'>;
  history: HistoryStore;
  version: string;
  log: Logger;
  /** Aborted before the service closes its connections. */
  closing: AbortSignal;
}

/** Many agents give up after a minute. */
const patienceMs = 45_000;

const signOfLifeMs = 10_000;

/** Builds the tools of agents, and the questions to the user. */
export function composeMcp(parts: McpParts) {
  const { settings, database, catalogue, slugs, notifications, packages, eventLog, closing } = parts;
  const language = userLanguage(settings.environment);
  const log = parts.log.child({ part: 'agents' });
  const offers = new Offers({
    catalogue,
    slugs,
    store: new SqliteAgentChoiceStore(database),
    packages: settings.mcp_packages,
  });
  // An id is chosen by the author, so the user's choices must not pass to another package with the same one.
  packages.uninstalled.subscribe((scriptId) => {
    try {
      offers.forget(scriptId);
    } catch (error) {
      log.error({ err: error, script_id: scriptId }, 'cannot remove the choices for an uninstalled script');
    }
  });
  const confirmations = new Confirmations({
    offers,
    clock: systemClock,
    after(delayMs, callback) {
      const timer = setTimeout(callback, delayMs).unref();
      return () => clearTimeout(timer);
    },
  });
  confirmations.opened.subscribe((question) =>
    notifications.show({
      type: 'info',
      message: questionText(question)[language],
      durationMs: patienceMs,
      showClose: true,
      run: null,
      page: '/agents',
    }),
  );
  publishAgents({ offers, confirmations, eventLog });
  const mcp = new Mcp({ ...parts, log, offers, consent: confirmations, patienceMs, signOfLifeMs });
  closing.addEventListener('abort', () => void mcp.close());
  return {
    offers,
    confirmations,
    mcp,
    async close(): Promise<void> {
      confirmations.close();
      offers.close();
      await mcp.close();
    },
  };
}

function questionText({ client, scriptName }: Question): Text {
  return {
    en: `${client} wants to run “${scriptName}”. Allow or refuse it on the page Agents of the console.`,
    zh: `${client} 请求运行“${scriptName}”。请在控制台的“智能体”页面允许或拒绝。`,
  };
}

/** Publishes changes of the questions and of the user's choices. Each event replaces the one before it. */
function publishAgents({
  offers,
  confirmations,
  eventLog,
}: Pick<McpParts, 'eventLog'> & { offers: Offers; confirmations: Confirmations }): void {
  let lastSeq = eventLog.ofType('agents.changed').at(-1)?.seq;
  const publish = () => {
    const data = eventData.agents({ questions: confirmations.questions.length }, systemClock.now());
    const event = eventLog.publish({
      type: 'agents.changed',
      runId: null,
      data,
      ...(lastSeq !== undefined && { replaces: lastSeq }),
    });
    if (event !== null) lastSeq = event.seq;
  };
  confirmations.changed.subscribe(publish);
  offers.chosen.subscribe(publish);
}
