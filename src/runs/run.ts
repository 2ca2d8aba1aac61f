import type { Script } from '../scripts/script.ts';
import type { Logger } from '../shared/log.ts';
import type { Language } from '../shared/text.ts';
import type { KeyUse } from './keys/key-store.ts';
import { type RunFolder, runFolderAt } from './run-folder.ts';
import type { RunRecord } from './run-record.ts';

/**
 * - `new`: not on record. A synchronous run that starts at once is recorded with its start.
 * - `queued`: on record.
 * - `starting`: given to an executor. The event `run.started` is not published yet.
 * - `running`: the event `run.started` is published.
 * - `ended`: the end is on record.
 */
type RunPhase = 'new' | 'queued' | 'starting' | 'running' | 'ended';

/** The parts of a new run that are stored with its record and never read back with it. */
interface Acceptance {
  readonly tokenHash: string;
  /** The idempotency key with which its caller can ask for it again. */
  readonly key: KeyUse | undefined;
}

interface RunOptions {
  readonly runsFolder: string;
  readonly limits: { readonly timeoutMs: number | null };
  readonly log: Logger;
  readonly record: RunRecord;
  /** Null if the script of a recovered run was removed. */
  readonly script: Script | null;
  readonly language: Language;
  readonly isKeyed: boolean;
  /** Null for a run that an earlier service recorded. */
  readonly acceptance: Acceptance | null;
}

/** A run from its acceptance to its end. The ledger changes its phase. */
export class Run {
  /** The run as it was accepted, or as an earlier service left it. */
  readonly record: RunRecord;
  readonly acceptance: Acceptance | null;
  /** The folder of its script; null for a recovered run, whose script may have been another version. */
  readonly scriptFolder: string | null;
  readonly folder: RunFolder;
  readonly timeoutMs: number | null;
  /** The language of the messages that Hob writes for this run. */
  readonly language: Language;
  /** Whether the record must survive a power failure: the caller does not wait, or it can ask again with its key. */
  readonly isDurable: boolean;
  readonly log: Logger;
  /** Aborted with a `StopRequest` or, while the run waits for a slot, with the refusal for its caller. */
  readonly stopping = new AbortController();
  phase: RunPhase;

  constructor({ record, script, language, isKeyed, acceptance, runsFolder, limits, log }: RunOptions) {
    this.record = record;
    this.acceptance = acceptance;
    this.scriptFolder = acceptance === null ? null : (script?.folder ?? null);
    this.folder = runFolderAt(runsFolder, record.runId);
    this.timeoutMs = (script?.runtime.timeoutMs ?? limits.timeoutMs) || null;
    this.language = language;
    this.isDurable = isKeyed || !record.sync;
    this.log = log.child({ run: record.runId, script: record.scriptName });
    this.phase = acceptance === null ? 'queued' : 'new';
  }
}
