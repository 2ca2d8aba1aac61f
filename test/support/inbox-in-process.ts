import { watch } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

import pino from 'pino';
import { onTestFinished, vi } from 'vitest';

import { AppError } from '../../src/shared/errors.ts';
import type { Text } from '../../src/shared/text.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { SqliteTriggerStore } from '../../src/storage/sqlite-trigger-store.ts';
import type { FiringRequest, FiringResult } from '../../src/triggers/firing-runs.ts';
import { FileLooks } from '../../src/triggers/folder/found-file.ts';
import { Inbox } from '../../src/triggers/folder/inbox.ts';
import type { InboxParts } from '../../src/triggers/folder/parts.ts';
import type { FolderTrigger } from '../../src/triggers/trigger.ts';
import { tempFolder } from './hob.ts';
import { until } from './until.ts';

/** Runs that last until the test ends them. */
export class FakeRuns {
  readonly requests: FiringRequest[] = [];
  refuseWith: AppError | null = null;
  readonly #byKey = new Map<string, string>();
  readonly #ends = new Map<string, boolean>();

  get live(): string[] {
    return [...this.#byKey.values()].filter((runId) => !this.#ends.has(runId));
  }

  /** The paths of each run. */
  get paths(): string[][] {
    return this.requests.map(({ data }) => (Array.isArray(data) ? data.map(String) : []));
  }

  start(request: FiringRequest): Promise<FiringResult> {
    if (this.refuseWith !== null)
      return Promise.resolve({
        kind: 'refused',
        reason: 'cannot-start',
        error: this.refuseWith,
        isLasting: this.refuseWith.code !== 'queue-full',
      });
    const key = request.key ?? '';
    const known = this.#byKey.get(key);
    if (known !== undefined) return Promise.resolve({ kind: 'started', runId: known, isRepeat: true });
    this.requests.push(request);
    const runId = `run-${this.requests.length}`;
    this.#byKey.set(key, runId);
    return Promise.resolve({ kind: 'started', runId, isRepeat: false });
  }

  /** Forgets the keys of all runs, as after a long time. */
  forgetKeys(): void {
    this.#byKey.clear();
  }

  find(_trigger: unknown, key: string): string | null {
    return this.#byKey.get(key) ?? null;
  }

  endOf(runId: string): 'live' | 'succeeded' | 'failed' | 'unknown' {
    const isSuccess = this.#ends.get(runId);
    return isSuccess === undefined ? 'live' : isSuccess ? 'succeeded' : 'failed';
  }

  /** For a run whose end no inbox notices. */
  end(runId: string, isSuccess = true): void {
    this.#ends.set(runId, isSuccess);
  }
}

export interface InboxInProcess {
  readonly folder: string;
  readonly runs: FakeRuns;
  readonly store: SqliteTriggerStore;
  readonly notices: Text[];
  readonly inbox: Inbox;
  /** Passes besides the real time, on the steady clock and for timers. */
  skip(ms: number): void;
  end(runId: string, isSuccess?: boolean): void;
  /** Closes the inbox, and opens another on the same records. */
  reopen(changes?: Partial<FolderTrigger>, between?: () => Promise<void>): Promise<void>;
  /** Waits until runs were requested for this many files. `skipMs` passes at each look, for a wait of seconds. */
  handed(count: number, skipMs?: number): Promise<string[]>;
}

/** A folder trigger with fake runs. */
export async function openInbox(
  changes: Partial<FolderTrigger> = {},
  {
    parts = {},
    isListed = true,
    before = async () => {},
  }: { parts?: Partial<InboxParts>; isListed?: boolean; before?: (folder: string) => Promise<void> } = {},
): Promise<InboxInProcess> {
  const folder = join(await realpath(await tempFolder()), 'inbox');
  await mkdir(folder);
  await before(folder);
  const database = openDatabase(':memory:');
  const store = new SqliteTriggerStore(database);
  const [runs, notices] = [new FakeRuns(), [] as Text[]];
  let skippedMs = 0;
  const all: InboxParts = {
    store,
    runs,
    log: pino({ level: 'silent' }),
    notify: (text) => notices.push(text),
    looks: new FileLooks(),
    watch,
    // Reading the open files of all processes takes long on a busy machine.
    probe: { find: () => Promise.resolve(new Map()), isOpen: () => Promise.resolve(false) },
    steadyMs: () => performance.now() + skippedMs,
    now: () => new Date(),
    keysKeptMs: 86_400_000,
    ...parts,
  };
  const trigger: FolderTrigger = {
    id: 'inbox',
    script: 'recorder',
    scriptId: 'recorder',
    data: undefined,
    params: {},
    retries: undefined,
    valuesProblem: null,
    kind: 'folder',
    path: folder,
    recursive: false,
    filters: [],
    settleMs: 30,
    batchMs: null,
    after: 'leave',
    ...changes,
  };
  const open = async (one: FolderTrigger) => {
    const inbox = new Inbox(one, all);
    inbox.open();
    if (isListed) await until('the folder was listed', async () => store.position('inbox') !== null);
    return inbox;
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true, advanceTimeDelta: 5 });
  onTestFinished(() => void vi.useRealTimers());
  let inbox = await open(trigger);
  onTestFinished(async () => {
    await inbox.close();
    database.close();
  });
  const skip = (ms: number) => {
    skippedMs += ms;
    vi.advanceTimersByTime(ms);
  };
  return {
    folder,
    runs,
    store,
    notices,
    get inbox() {
      return inbox;
    },
    skip,
    end(runId, isSuccess = true) {
      runs.end(runId, isSuccess);
      inbox.noteEnd(runId, isSuccess);
    },
    async reopen(more = {}, between = async () => {}) {
      await inbox.close();
      await between();
      inbox = await open({ ...trigger, ...more });
    },
    handed: (count, skipMs = 0) =>
      until(`${count} files are handed over`, async () => {
        if (skipMs > 0) skip(skipMs);
        const paths = runs.paths.flat();
        return paths.length >= count && paths;
      }),
  };
}

export const queueFull = new AppError('queue-full', { en: 'The queue is full.', zh: '队列已满。' });
