import { type TriggerKind, type TriggerState, triggerKinds } from '../contract/values.ts';
import { AppError } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import { fireByHand, type SentFire } from './fire-by-hand.ts';
import type { FiringRuns } from './firing-runs.ts';
import { idAdvice, isTriggerId, type ReadContext, readEntry } from './read-entry.ts';
import type {
  FolderTrigger,
  ScheduleTrigger,
  Trigger,
  TriggerDriver,
  TriggerEntry,
  TriggerProblem,
  TriggerStatus,
  WebhookTrigger,
} from './trigger.ts';
import type { FileProblem, FileState, TriggerFile, WrittenEntry } from './trigger-file.ts';
import { firingAt, type TriggerStore } from './trigger-store.ts';

export interface TriggerDrivers {
  readonly schedule: TriggerDriver<ScheduleTrigger>;
  readonly folder: TriggerDriver<FolderTrigger>;
  readonly webhook: TriggerDriver<WebhookTrigger>;
}

interface TriggersOptions {
  file: TriggerFile;
  context: ReadContext;
  drivers: TriggerDrivers;
  store: TriggerStore;
  runs: FiringRuns;
  log: Logger;
  now: () => Date;
  /** Shows the user what went wrong. */
  notify: (text: Text) => void;
}

/** All triggers. triggers.toml is authoritative; this is its content together with what the scripts and secrets allow. */
export class Triggers {
  /** Published when a trigger was added, changed or removed, or can or cannot start runs any more. */
  readonly changed = new Feed<void>();
  readonly #options: TriggersOptions;
  #entries: readonly TriggerEntry[] = [];
  #written: readonly WrittenEntry[] = [];
  /** Entries by what they were read from, so that a trigger that stays the same stays the same object. */
  #read: ReadonlyMap<string, TriggerEntry> = new Map();
  #reading = new Map<string, TriggerEntry>();
  #problem: FileProblem | null = null;
  /** Whether the file was usable once. */
  #isRead = false;
  readonly #unsubscribe: () => void;

  constructor(options: TriggersOptions) {
    this.#options = options;
    this.#unsubscribe = options.file.changed.subscribe((state) => this.#take(state));
  }

  get entries(): readonly TriggerEntry[] {
    return this.#entries;
  }

  /** Why the file as a whole cannot be used. The triggers of the last usable file stay in force. */
  get fileProblem(): FileProblem | null {
    return this.#problem;
  }

  get path(): string {
    return this.#options.file.path;
  }

  async start(): Promise<void> {
    const state = await this.#options.file.open();
    // An empty file is no change, so it was not announced.
    if (!this.#isRead && this.#problem === null) this.#take(state);
  }

  async close(): Promise<void> {
    const { file, drivers } = this.#options;
    this.#unsubscribe();
    await file.close();
    await Promise.all(triggerKinds.map((kind) => drivers[kind].close()));
  }

  /** Reads the entries again after a change of the scripts or of the stored secrets. */
  refresh(): void {
    // Only a usable file says which triggers are on. An empty list would pause all of them.
    if (!this.#isRead) return;
    const { drivers, log } = this.#options;
    const before = this.#entries;
    this.#reading = new Map();
    this.#entries = markTwins(this.#written.map((written) => this.#readAgain(written)));
    this.#read = this.#reading;
    const active = this.#entries.flatMap(({ enabled, trigger }) =>
      enabled && trigger !== null ? [trigger] : [],
    );
    const broken = this.#entries.filter(({ enabled, trigger }) => enabled && trigger === null);
    const brokenOf = (kind: TriggerKind) => broken.filter((one) => one.kind === kind);
    drivers.schedule.update(
      active.filter((one) => one.kind === 'schedule'),
      brokenOf('schedule'),
    );
    drivers.folder.update(
      active.filter((one) => one.kind === 'folder'),
      brokenOf('folder'),
    );
    drivers.webhook.update(
      active.filter((one) => one.kind === 'webhook'),
      brokenOf('webhook'),
    );
    const known = new Set(before);
    const changed = this.#entries.filter((entry) => !known.has(entry));
    if (changed.length === 0 && before.length === this.#entries.length) return;
    for (const { id, line, enabled, problems } of changed)
      for (const problem of enabled ? problems : [])
        log.warn({ trigger: id, line, problem: problem.message.en }, 'a trigger cannot start runs');
    this.changed.publish();
  }

  get(id: string): TriggerEntry {
    const entry = this.#entries.find((one) => one.id === id);
    if (entry !== undefined) return entry;
    throw unknownTrigger(id);
  }

  stateOf({ enabled, isScriptMissing, problems, trigger }: TriggerEntry): TriggerState {
    if (!enabled) return 'off';
    if (isScriptMissing && problems.length === 1) return 'script-missing';
    return problems.length > 0 || trigger === null ? 'broken' : 'on';
  }

  /** The present condition of a trigger; null if its entry is broken. */
  statusOf({ trigger }: TriggerEntry): TriggerStatus | null {
    if (trigger === null) return null;
    const status = this.#statusOf(trigger);
    return { ...status, problem: trigger.valuesProblem ?? status.problem };
  }

  /** Reads fields without storing them. */
  check(id: string, fields: JsonObject): { entry: TriggerEntry; status: TriggerStatus | null } {
    const entry = readEntry({ id, ...fields }, null, this.#options.context);
    return { entry, status: this.statusOf(entry) };
  }

  /** Stores a trigger. Refuses fields with a mistake, so that what was accepted also works. */
  async put(id: string, fields: JsonObject, { mustBeNew = false } = {}): Promise<void> {
    await this.#options.file.edit((entries) => {
      const index = indexOf(entries, id);
      if (mustBeNew && index !== null) throw existingTrigger(id);
      return { index, entry: this.#accept(id, fields) };
    });
  }

  /** Changes some fields of a trigger. Null removes a field. */
  async change(id: string, changes: JsonObject): Promise<void> {
    await this.#options.file.edit((entries) => {
      const index = indexOf(entries, id);
      if (index === null) throw unknownTrigger(id);
      const { id: _, ...fields } = entries[index]?.fields ?? {};
      const merged = Object.entries({ ...fields, ...changes }).filter(([, value]) => value !== null);
      const onlySwitchesOff = changes.enabled === false && Object.keys(changes).length === 1;
      // A trigger with a mistake can always be switched off.
      return {
        index,
        entry: onlySwitchesOff
          ? { id, ...Object.fromEntries(merged) }
          : this.#accept(id, Object.fromEntries(merged)),
      };
    });
  }

  async remove(id: string): Promise<void> {
    const { file, store } = this.#options;
    await file.edit((entries) => {
      const index = indexOf(entries, id);
      if (index === null) throw unknownTrigger(id);
      return { index, entry: null };
    });
    store.forget(id);
  }

  /** Starts a run of a trigger now, also while it is off. */
  async fire(id: string, sent: SentFire): Promise<string> {
    const { runs, store, now, log } = this.#options;
    const { trigger, problems } = this.get(id);
    if (trigger === null) throw invalidTrigger(id, problems);
    const at = now();
    const result = await runs.start(fireByHand(trigger, sent));
    if (result.kind === 'refused') throw result.error;
    const { runId } = result;
    try {
      store.record(firingAt(at, { triggerId: id, outcome: 'fired', runId }));
    } catch (error) {
      // The run has started, so the caller must not try again.
      log.warn({ err: error, trigger: id, runId }, 'cannot record that a trigger was fired');
    }
    return runId;
  }

  /** Reads an entry only if something that it depends on has changed: there may be thousands, and scripts change often. */
  #readAgain({ fields, line }: WrittenEntry): TriggerEntry {
    const { context } = this.#options;
    const found = typeof fields.script === 'string' ? context.findScript(fields.script) : null;
    const script = found?.kind === 'found' ? found.script : null;
    const { id, name, input, params, triggers } = script ?? {};
    const secret = typeof fields.secret === 'string' && context.hasSecret(fields.secret);
    const basis = JSON.stringify([fields, found?.kind, id, name, input, params, triggers, secret]);
    const known = this.#reading.get(basis) ?? this.#read.get(basis) ?? readEntry(fields, line, context);
    const entry = known.line === line ? known : { ...known, line };
    this.#reading.set(basis, entry);
    return entry;
  }

  #statusOf(trigger: Trigger): TriggerStatus {
    const { drivers } = this.#options;
    switch (trigger.kind) {
      case 'schedule':
        return drivers.schedule.status(trigger);
      case 'folder':
        return drivers.folder.status(trigger);
      case 'webhook':
        return drivers.webhook.status(trigger);
    }
  }

  /** A change without a mistake, as an entry of the file. */
  #accept(id: string, fields: JsonObject): JsonObject {
    const written = { id, ...fields };
    const { problems, trigger } = readEntry(written, null, this.#options.context);
    const refused = trigger?.valuesProblem ?? null;
    const all = refused === null ? problems : [...problems, refused];
    if (all.length > 0) throw invalidTrigger(id, all);
    return written;
  }

  #take(state: FileState): void {
    const { log, notify } = this.#options;
    if (state.kind === 'broken') {
      const { line, message } = state.problem;
      log.error(
        { file: this.path, line, problem: message.en },
        this.#isRead
          ? 'triggers.toml cannot be used; the last usable one stays in force'
          : 'triggers.toml cannot be used; no trigger is in force',
      );
      if (this.#problem === null) notify(brokenNotice(line, this.#isRead));
      this.#problem = state.problem;
      this.changed.publish();
      return;
    }
    const wasBroken = this.#problem !== null;
    this.#problem = null;
    this.#isRead = true;
    this.#written = state.entries;
    this.refresh();
    if (wasBroken) this.changed.publish();
  }
}

/** `isKept`: the triggers of an earlier, usable file stay in force. */
function brokenNotice(line: number | null, isKept: boolean): Text {
  const [en, zh] = line === null ? ['', ''] : [` (line ${line})`, `（第 ${line} 行）`];
  const [enEffect, zhEffect] = isKept
    ? ['The triggers stay as they were', '触发器保持原样']
    : ['No trigger starts a run before it is corrected', '更正之前，所有触发器都不会启动脚本'];
  return {
    en: `triggers.toml has a mistake${en}. ${enEffect}. To see it: hob triggers`,
    zh: `triggers.toml 有错误${zh}，${zhEffect}。可用 hob triggers 查看。`,
  };
}

/** Two entries with one id: neither fires, because Hob cannot know which one is meant. */
function markTwins(entries: readonly TriggerEntry[]): TriggerEntry[] {
  const counts = new Map<string, number>();
  for (const { id } of entries) counts.set(id, (counts.get(id) ?? 0) + 1);
  return entries.map((entry) => {
    if ((counts.get(entry.id) ?? 0) < 2 || entry.id === '') return entry;
    const marked = twins.get(entry) ?? {
      ...entry,
      trigger: null,
      problems: [...entry.problems, twin(entry.id)],
    };
    twins.set(entry, marked);
    return marked;
  });
}

/** Entries as marked. An entry that stays the same stays the same object. */
const twins = new WeakMap<TriggerEntry, TriggerEntry>();

function twin(id: string): TriggerProblem {
  return {
    field: 'id',
    message: {
      en: `Two triggers have the id "${id}"; neither fires`,
      zh: `有两个触发器的 id 都是“${id}”，均不会触发`,
    },
    advice: {
      en: 'Give each of them an id of its own in triggers.toml, or remove one of them there.',
      zh: '请在 triggers.toml 中为它们使用不同的 id，或删除其中一个。',
    },
  };
}

function indexOf(entries: readonly WrittenEntry[], id: string): number | null {
  if (!isTriggerId(id)) throw invalidId(id);
  const [index = null, ...others] = entries.flatMap(({ fields }, at) => (fields.id === id ? [at] : []));
  // The id does not say which one is meant.
  if (others.length > 0) throw invalidTrigger(id, [twin(id)]);
  return index;
}

function unknownTrigger(id: string): AppError {
  return new AppError(
    'trigger-unknown',
    { en: `No such trigger: ${id.slice(0, 100)}`, zh: `触发器不存在: ${id.slice(0, 100)}` },
    { hint: { en: 'GET /api/triggers lists all triggers.', zh: 'GET /api/triggers 列出所有触发器。' } },
  );
}

function existingTrigger(id: string): AppError {
  return new AppError('trigger-exists', {
    en: `There already is a trigger with the id ${id}.`,
    zh: `已有 id 为 ${id} 的触发器。`,
    hint: {
      en: 'Choose another id, or change the trigger.',
      zh: '请换一个 id，或修改已有的触发器。',
    },
    fields: ['id'],
  });
}

function invalidId(id: string): AppError {
  return new AppError('trigger-invalid', {
    en: `"${id.slice(0, 100)}" cannot be the id of a trigger.`,
    zh: `“${id.slice(0, 100)}” 不能作为触发器的 id。`,
    hint: idAdvice,
    fields: ['id'],
  });
}

function invalidTrigger(id: string, problems: readonly TriggerProblem[]): AppError {
  const [first] = problems;
  const list = (language: 'en' | 'zh') =>
    problems.map(({ message }) => message[language]).join(language === 'en' ? '. ' : '；');
  return new AppError(
    'trigger-invalid',
    {
      en: `The trigger "${id}" cannot be used: ${list('en')}.`,
      zh: `触发器“${id}”无法使用：${list('zh')}。`,
    },
    {
      ...(first !== undefined && { hint: first.advice }),
      fields: problems.flatMap(({ field }) => field ?? []),
    },
  );
}
