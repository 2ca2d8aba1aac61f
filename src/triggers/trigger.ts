import type {
  AfterPolicy,
  MissedPolicy,
  OverlapPolicy,
  Retries,
  SignatureScheme,
  TriggerKind,
} from '../contract/values.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';

interface TriggerBase {
  /** [a-z0-9-], unique in the file. */
  readonly id: string;
  /** The script as the file names it: an id or a slug. */
  readonly script: string;
  readonly scriptId: string;
  /** Values for the main input and the params of each run, as sent by a caller. */
  readonly data: Json | undefined;
  readonly params: JsonObject;
  /** The retries of its runs; null: none; undefined: those of the script. */
  readonly retries: Retries | null | undefined;
  /**
   * Why the script refuses these values; null if it accepts them. The trigger stays on, so that what it cannot start is on record: its
   * script may have changed.
   */
  readonly valuesProblem: TriggerProblem | null;
}

export interface ScheduleTrigger extends TriggerBase {
  readonly kind: 'schedule';
  /** Either a cron expression or an interval. */
  readonly cron: string | null;
  readonly everyMs: number | null;
  /** IANA name; null: the zone of the machine. */
  readonly timezone: string | null;
  readonly missed: MissedPolicy;
  readonly missedWithinMs: number;
  readonly overlap: OverlapPolicy;
  /** Each schedule is late by a fixed part of this, derived from its id. */
  readonly jitterMs: number;
}

export interface FolderTrigger extends TriggerBase {
  readonly kind: 'folder';
  /** Absolute. */
  readonly path: string;
  readonly recursive: boolean;
  /** Extensions in lower case with a dot; empty: all files. */
  readonly filters: readonly string[];
  /** How long a file must stay unchanged before it counts as complete. */
  readonly settleMs: number;
  /** Files that are complete within this time share a run; null: one run for each file. */
  readonly batchMs: number | null;
  readonly after: AfterPolicy;
}

export interface WebhookTrigger extends TriggerBase {
  readonly kind: 'webhook';
  readonly signature: SignatureScheme;
  /** The param that receives the delivery. */
  readonly into: string;
  /** Name of the stored secret. */
  readonly secret: string;
}

export type Trigger = ScheduleTrigger | FolderTrigger | WebhookTrigger;

/** Why an entry cannot start runs, with the next step. */
export interface TriggerProblem {
  /** The field of the entry, if it is about one. */
  readonly field: string | null;
  readonly message: Text;
  readonly advice: Text;
}

/** An entry of triggers.toml. An entry that cannot be used is kept, so that its owner sees why it does not fire. */
export interface TriggerEntry {
  readonly id: string;
  readonly kind: TriggerKind | null;
  readonly enabled: boolean;
  /** The script as written, its id and its name if it is known. */
  readonly script: string | null;
  readonly scriptId: string | null;
  readonly scriptName: string | null;
  /** The name of the suggestion that it takes its values from. */
  readonly from: string | null;
  readonly line: number | null;
  /** The fields as written. */
  readonly written: JsonObject;
  /** The fields in force: those of the suggestion, overridden by those as written. */
  readonly values: JsonObject;
  /** Whether no script has the id or slug that the entry names. */
  readonly isScriptMissing: boolean;
  /** Null if the entry is broken, or if its script is unknown. */
  readonly trigger: Trigger | null;
  readonly problems: readonly TriggerProblem[];
}

/** The present condition of a trigger, as its kind knows it. */
export interface TriggerStatus {
  /** The next times at which it fires, the earliest first; empty if the kind has no times. */
  readonly next: readonly Date[];
  /** When it fires, in words. */
  readonly words: Text;
  /** The address for senders; webhooks only. */
  readonly address: string | null;
  /** The reason why it cannot fire now, such as a folder that does not exist. */
  readonly problem: TriggerProblem | null;
}

/** Fires the triggers of one kind. The service gives it all triggers that are on, whenever they change. */
export interface TriggerDriver<One extends Trigger> {
  /** The first call starts it. Triggers that stay the same keep their state. `broken`: entries of this kind that are on, with problems. */
  update(triggers: readonly One[], broken: readonly TriggerEntry[]): void;
  status(trigger: One): TriggerStatus;
  close(): Promise<void>;
}
