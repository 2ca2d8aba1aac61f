import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Attachment, RunHooks } from '../src/execution/executor-client.ts';
import { type Count, endWithoutProcess, type RunEnd, type RunSpec } from '../src/execution/messages.ts';
import { buildApp } from '../src/http/app.ts';
import { Metrics } from '../src/metrics/metrics.ts';
import { ModelLibrary } from '../src/models/model-library.ts';
import { Notifications } from '../src/notifications/notifications.ts';
import { BareCallers } from '../src/runs/callers/bare-callers.ts';
import { RunRemover } from '../src/runs/history/run-remover.ts';
import { KeyedRuns } from '../src/runs/keys/keyed-runs.ts';
import { recallOutcome } from '../src/runs/keys/recall-run.ts';
import { readOutcome } from '../src/runs/outcome/read-outcome.ts';
import { RunOutputs } from '../src/runs/output/run-outputs.ts';
import { RunEnds } from '../src/runs/run-ends.ts';
import type { Executor } from '../src/runs/run-request.ts';
import { RunService } from '../src/runs/run-service.ts';
import { Catalogue } from '../src/scripts/catalogue.ts';
import { systemClock } from '../src/shared/clock.ts';
import { Feed } from '../src/shared/feed.ts';
import { createLogger } from '../src/shared/log.ts';
import { openDatabase } from '../src/storage/database.ts';
import { SqliteHistoryStore } from '../src/storage/sqlite-history-store.ts';
import { eventsInMemory } from './support/events-in-memory.ts';
import { tempFolder } from './support/hob.ts';
import { MemoryKeyStore } from './support/memory-key-store.ts';
import { MemoryRunStore } from './support/memory-run-store.ts';
import { writeScript } from './support/scripts.ts';

describe('links of callers that cannot be found', () => {
  it('are refused when there is no place left for them, with 503 and a way out', async () => {
    const { link, runs } = await serve({ maxRuns: 2 });
    const first = link();
    await runs.begun(1);
    const refused = await link({ 'accept-language': 'en' });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('x-hob-error')).toBe('untraced-links-full');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.text()).toContain('environment.api_base');
    runs.endAll();
    expect((await first).status).toBe(200);
  });

  it('give their place back with their answer', async () => {
    const { link, runs } = await serve({ maxRuns: 2 });
    for (let count = 1; count <= 3; count++) {
      const answer = link();
      await runs.begun(count);
      runs.endAll();
      expect((await answer).status).toBe(200);
    }
  });

  it('give their place back when what they ask for is refused', async () => {
    const { link, runs } = await serve({ maxRuns: 2 });
    for (let count = 0; count < 3; count++) expect((await link({}, { params: [] })).status).toBe(400);
    const answer = link();
    await runs.begun(1);
    runs.endAll();
    expect((await answer).status).toBe(200);
  });

  it('give their place back when the caller hangs up, also those that wait behind another on its connection', async () => {
    const { link, runs, port, script, arrivals } = await serve({ maxRuns: 3 });
    const arrival = once(arrivals, 'connection');
    const caller = connect(port, '127.0.0.1');
    const body = JSON.stringify({ script_id: script });
    const head = `POST /api/link HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    caller.write(`${head}\r\n\r\n${body}`.repeat(2));
    const [socket]: Socket[] = await arrival;
    await runs.begun(2);
    expect((await link()).status).toBe(503);
    const closed = socket === undefined ? undefined : once(socket, 'close');
    caller.destroy();
    await closed;
    const answers = [link(), link()];
    await runs.begun(4);
    runs.endAll();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

/** The application with one script, an executor that runs nothing, and callers that cannot be traced. */
async function serve({ maxRuns }: { maxRuns: number }) {
  const folder = await tempFolder();
  await mkdir(join(folder, 'runs'));
  const script = await writeScript(join(folder, 'scripts'), 'node', { node: true });
  const catalogue = new Catalogue([join(folder, 'scripts')]);
  await catalogue.load();
  const log = await createLogger('silent');
  const store = new MemoryRunStore();
  const executor = new HeldExecutor();
  const { eventLog, runEvents } = eventsInMemory(store, log);
  const keys = new MemoryKeyStore();
  const runs = new RunService({
    store,
    keys,
    events: runEvents,
    executor,
    clock: systemClock,
    log,
    resolveCommand: async () => ({ kind: 'command', command: { file: 'unused', args: [], env: {} } }),
    readOutcome,
    findScript: (id) => catalogue.find(id),
    apiBase: (token) => `http://127.0.0.1/r/${token}`,
    runsFolder: join(folder, 'runs'),
    environment: {},
    limits: {
      maxRuns: 10,
      maxQueued: 10,
      queueWaitMs: 60_000,
      timeoutMs: null,
      stopGraceMs: 0,
      drainMs: 0,
      outputLogBytes: 0,
      outputAnswerBytes: 0,
      resultBytes: 0,
      keepKeysMs: 0,
    },
  });
  const runEnds = new RunEnds({ events: runs.events, store });
  const app = await buildApp({
    catalogue,
    runs,
    eventLog,
    runEvents,
    outputs: new RunOutputs({ store, events: new Feed(), runsFolder: join(folder, 'runs') }),
    keyedRuns: new KeyedRuns({
      keys,
      keptSince: () => '',
      store,
      ends: runEnds,
      lend: () => {},
      recall: (record) =>
        recallOutcome(record, {
          readOutcome,
          runsFolder: folder,
          limits: { resultBytes: 0, outputAnswerBytes: 0 },
        }),
    }),
    runEnds,
    runRemover: new RunRemover({
      removal: { forgetRuns: () => [] },
      runsFolder: join(folder, 'runs'),
      log,
      closing: new AbortController().signal,
    }),
    runStore: store,
    history: new SqliteHistoryStore(openDatabase(':memory:')),
    clock: systemClock,
    bareCallers: new BareCallers({
      store,
      livePids: () => new Map(),
      maxRuns,
      trace: async () => ({ kind: 'unknown' }),
    }),
    models: new ModelLibrary({ models: folder, huggingFaceCache: folder }),
    notifications: new Notifications(log),
    metrics: new Metrics({ version: '0.0.0', log }),
    log,
    version: '0.0.0',
    closing: new AbortController().signal,
    heartbeatMs: 60_000,
    jsonBodyBytes: 1000,
    formBodyBytes: 1000,
    requestStop: () => {},
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    executor.endAll();
    app.server.closeAllConnections();
    await app.close();
  });
  return {
    script,
    port: Number(new URL(url).port),
    arrivals: app.server,
    runs: executor,
    link: (headers: Record<string, string> = {}, rest: Record<string, unknown> = {}) =>
      fetch(`${url}/api/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ script_id: script, ...rest }),
      }),
  };
}

/** Runs last until the test ends them. */
class HeldExecutor implements Executor {
  readonly containment = null;
  readonly counts = new Feed<readonly Count[]>();
  #begun = 0;
  #wake = () => {};
  readonly #open = new Map<string, (end: RunEnd) => void>();

  run({ runId }: RunSpec, hooks: RunHooks): Promise<RunEnd> {
    hooks.given('1-aa');
    this.#begun++;
    this.#wake();
    return new Promise((resolve) => this.#open.set(runId, resolve));
  }

  /** Resolves when that many runs have begun, counted from the start. */
  async begun(count: number): Promise<void> {
    while (this.#begun < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  endAll(): void {
    for (const [runId, end] of this.#open) end(endWithoutProcess(runId, 'exit'));
    this.#open.clear();
  }

  attach(): Attachment {
    return { kind: 'unknown' };
  }

  canStop(): boolean {
    return true;
  }

  stop(): void {}

  acknowledge(): void {}

  acknowledgeCounts(): void {}

  catchUp(): void {}
}
