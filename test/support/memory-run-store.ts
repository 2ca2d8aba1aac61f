import type { BriefRun, RunEnding, RunRecord } from '../../src/runs/run-record.ts';
import type { Count, RunStart, RunStore, TokenOwner } from '../../src/runs/run-store.ts';

const largestBriefBytes = 4096;

/** Runs in memory, for tests that need no disk. It passes the same contract as the store on disk. */
export class MemoryRunStore implements RunStore {
  readonly isOpen = true;
  #records = new Map<string, RunRecord>();
  #byToken = new Map<string, string>();

  atomically<Result>(work: () => Result): Result {
    const before = [new Map(this.#records), new Map(this.#byToken)] as const;
    try {
      return work();
    } catch (error) {
      [this.#records, this.#byToken] = before;
      throw error;
    }
  }

  insert(record: RunRecord, tokenHash: string, options?: { start?: RunStart | null }): BriefRun {
    if (this.#records.has(record.runId)) throw new Error(`The run ${record.runId} is there already`);
    if (this.#byToken.has(tokenHash)) throw new Error('The token belongs to another run');
    this.#records.set(record.runId, structuredClone(record));
    this.#byToken.set(tokenHash, record.runId);
    if (options?.start) this.markStarted(record.runId, options.start);
    return briefOf(record);
  }

  markStarted(runId: string, start: RunStart): void {
    const record = this.#records.get(runId);
    if (record === undefined || record.endedAt !== null) return;
    this.#records.set(runId, { ...record, state: 'running', ...start });
  }

  finish(runId: string, ending: RunEnding): BriefRun | null {
    const record = this.#records.get(runId);
    if (record === undefined || record.endedAt !== null) return null;
    const startedAt = ending.startedAt ?? (ending.endCause === 'spawn-failed' ? null : record.startedAt);
    const leftRunning = ending.leftRunning ?? record.leftRunning;
    this.#records.set(runId, { ...record, ...structuredClone(ending), startedAt, leftRunning });
    return this.findBrief(runId);
  }

  recordLeftRunning(counts: readonly Count[]): void {
    for (const { runId, leftRunning } of counts) {
      const record = this.#records.get(runId);
      if (record !== undefined) this.#records.set(runId, { ...record, leftRunning });
    }
  }

  setNextAttempt(runId: string, at: string | null): boolean {
    const record = this.#records.get(runId);
    if (record === undefined || record.nextAttemptAt === null) return false;
    this.#records.set(runId, { ...record, nextAttemptAt: at });
    return true;
  }

  lastAttempt(firstRunId: string): BriefRun | null {
    return this.attempts(firstRunId).at(-1) ?? null;
  }

  attempts(firstRunId: string): BriefRun[] {
    return [...this.#records.values()]
      .filter((record) => record.runId === firstRunId || record.firstRunId === firstRunId)
      .toSorted((a, b) => a.attempt - b.attempt)
      .map((record) => briefOf(structuredClone(record)));
  }

  awaiting(): BriefRun[] {
    return [...this.#records.values()]
      .filter(({ nextAttemptAt }) => nextAttemptAt !== null)
      .toSorted((a, b) => String(a.nextAttemptAt).localeCompare(String(b.nextAttemptAt)))
      .map((record) => briefOf(structuredClone(record)));
  }

  has(runId: string): boolean {
    return this.#records.has(runId);
  }

  find(runId: string): RunRecord | null {
    return structuredClone(this.#records.get(runId) ?? null);
  }

  findBrief(runId: string): BriefRun | null {
    const record = this.find(runId);
    return record === null ? null : briefOf(record);
  }

  findByToken(tokenHash: string): TokenOwner | null {
    const record = this.#records.get(this.#byToken.get(tokenHash) ?? '');
    return record === undefined ? null : { runId: record.runId, depth: record.depth };
  }

  unfinished(): RunRecord[] {
    return [...this.#records.values()]
      .filter(({ endedAt }) => endedAt === null)
      .map((record) => structuredClone(record));
  }
}

function briefOf(record: RunRecord): BriefRun {
  const isSmall = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= largestBriefBytes;
  return {
    ...record,
    data: isSmall(record.data) ? record.data : null,
    params: isSmall(record.params) ? record.params : null,
    result: record.result !== null && record.result.length <= largestBriefBytes ? record.result : null,
  };
}
