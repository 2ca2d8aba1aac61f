import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

import type { WarmLanguage } from '../../contract/values.ts';
import {
  type Environment,
  type RunSpec,
  runCookie,
  type WarmLimits,
  type WarmSpec,
  type WarmState,
} from '../../execution/messages.ts';
import { environmentOf, type GivenRun, nothingShared } from '../given-run.ts';
import type { NativeProcesses } from '../native/processes.ts';
import type { Order, WarmInterpreter } from './fork-server.ts';
import type { InterpreterSpec } from './host-command.ts';
import { type GroupTools, WarmGroup } from './warm-group.ts';

/** As long as the id of a run, which overwrites it later. */
const cookiePlaceholder = '00000000-0000-0000-0000-000000000000';

/**
 * Variables that change nothing that an interpreter decides when it starts, or change it in the same way for all runs
 * that share them.
 */
const usualVariables = new Set([
  'PYTHONUTF8',
  'PYTHONIOENCODING',
  'PYTHONUNBUFFERED',
  'PYTHONPATH',
  'PYTHONDONTWRITEBYTECODE',
  'PYTHONPYCACHEPREFIX',
  'PYTHONNOUSERSITE',
  'PYTHONUSERBASE',
  'PYTHONWARNINGS',
  'NODE_ENV',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'NODE_NO_WARNINGS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
]);

/** Variables that contain paths. Relative paths lead to different places from different folders. */
const pathVariables = new Set([
  'PYTHONPATH',
  'PYTHONPYCACHEPREFIX',
  'PYTHONUSERBASE',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
]);

interface SharedFacts {
  readonly digest: string;
  /** Variables that require a separate interpreter, unless the run overrides them. */
  readonly odd: Readonly<Record<WarmLanguage, readonly string[]>>;
}

/** The shared environment is by far the larger part and rarely changes, so it is analysed once. */
const knownFacts = new WeakMap<Environment, SharedFacts>();

const reviewMs = 5000;
/** How long a reading of the system's memory remains valid: reading it takes longer than a fork. */
const memoryCheckMs = 1000;
/** Scripts with different variables use different groups. */
const mostGroups = 16;
/**
 * A group that was used this recently is not ended in favour of another: otherwise two groups would replace each other
 * in turn.
 */
const recentMs = 10_000;

interface WarmPoolOptions {
  readonly processes: NativeProcesses;
  readonly programs: GroupTools['programs'];
  readonly onChange: () => void;
  /** Whether there are more runnable processes than cores can handle. */
  readonly isBusy: () => boolean;
  readonly isShort?: () => boolean;
  readonly now?: () => number;
}

/** The warm interpreters. They stay within a memory budget, and are ended when no run has needed them for a while. */
export class WarmPool {
  readonly #groups = new Map<string, WarmGroup>();
  readonly #tools: GroupTools;
  readonly #isShort: () => boolean;
  #limits: WarmLimits = { memoryBytes: 0, idleMs: 0 };
  #hits = 0;
  #misses = 0;
  #short = { is: false, atMs: Number.NEGATIVE_INFINITY };
  #timer: NodeJS.Timeout | undefined;

  constructor({ processes, programs, onChange, isBusy, isShort, now }: WarmPoolOptions) {
    this.#isShort = isShort ?? isShortOfMemory;
    this.#tools = {
      processes,
      programs,
      now: now ?? (() => performance.now()),
      mayGrow: (group, bytes) => this.#mayGrow(group, bytes),
      isBusy,
      changed: onChange,
    };
  }

  /** Sets the limits. Until this is called, there are no warm interpreters. */
  allow(limits: WarmLimits): void {
    this.#limits = limits;
    void this.#review();
  }

  get state(): WarmState {
    const groups = [...this.#groups.values()];
    return {
      hits: this.#hits,
      misses: this.#misses,
      memoryBytes: this.#memoryBytes,
      isShortOfMemory: this.#short.is,
      kinds: groups.filter((group) => !group.isEmpty).map((group) => group.describe()),
    };
  }

  /** Returns an interpreter that has received this run; null if the run needs an ordinary start. */
  async start(spec: GivenRun): Promise<WarmInterpreter | null> {
    if (this.#limits.memoryBytes === 0) return null;
    const described = describeInterpreter(spec);
    // Without its folder the run cannot be started. An ordinary start reports that error.
    if (described === null || !spec.warm || !existsSync(spec.cwd)) return null;
    const { key, interpreter } = described;
    const taken = await this.#groupFor(key, interpreter).take();
    if (taken?.give(orderFor(spec, spec.warm))) {
      this.#hits += 1;
      return taken;
    }
    taken?.discard();
    this.#misses += 1;
    return null;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const group of this.#groups.values()) group.close();
    this.#groups.clear();
  }

  #groupFor(key: string, describe: () => InterpreterSpec): WarmGroup {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = new WarmGroup(describe(), this.#tools);
    this.#makeRoom();
    this.#groups.set(key, group);
    this.#watch();
    return group;
  }

  get #memoryBytes(): number {
    let sum = 0;
    for (const group of this.#groups.values()) sum += group.memoryBytes;
    return sum;
  }

  #claimedByOthers(spared: WarmGroup): number {
    let sum = 0;
    for (const group of this.#groups.values()) if (group !== spared) sum += group.claimedBytes;
    return sum;
  }

  #watch(): void {
    this.#timer ??= setInterval(() => void this.#review(), reviewMs).unref();
  }

  async #review(): Promise<void> {
    const nowMs = this.#tools.now();
    const isOver = this.#limits.memoryBytes === 0 || this.#checkMemory();
    for (const [key, group] of this.#groups) {
      if (isOver || nowMs - group.usedAtMs > this.#limits.idleMs) {
        group.close();
        this.#groups.delete(key);
      }
    }
    await Promise.all([...this.#groups.values()].map((group) => group.review()));
    while (this.#memoryBytes > this.#limits.memoryBytes && this.#retireOldest(null)) {
      // Retire the group that was used least recently.
    }
    // Keep the timer while the reported state is short of memory, to report when there is enough again.
    if (this.#groups.size > 0 || this.#short.is) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #mayGrow(group: WarmGroup, bytes: number): boolean {
    if (this.#checkMemory()) return false;
    while (this.#claimedByOthers(group) + group.memoryBytes + bytes > this.#limits.memoryBytes) {
      if (!this.#retireOldest(group)) return false;
    }
    return true;
  }

  #checkMemory(): boolean {
    const nowMs = this.#tools.now();
    if (nowMs - this.#short.atMs > memoryCheckMs) {
      const was = this.#short.is;
      this.#short = { is: this.#isShort(), atMs: nowMs };
      if (this.#short.is !== was) this.#tools.changed();
    }
    return this.#short.is;
  }

  /** Returns whether a group was ended. It spares the group that needs the room, and groups in use. */
  #retireOldest(spared: WarmGroup | null): boolean {
    const nowMs = this.#tools.now();
    let oldest: WarmGroup | null = null;
    for (const group of this.#groups.values()) {
      const isCandidate = group !== spared && group.claimedBytes > 0;
      if (isCandidate && (spared === null || nowMs - group.usedAtMs > recentMs)) {
        if (oldest === null || group.usedAtMs < oldest.usedAtMs) oldest = group;
      }
    }
    oldest?.retire();
    return oldest !== null;
  }

  #makeRoom(): void {
    if (this.#groups.size < mostGroups) return;
    const [[key, group] = [undefined, undefined]] = [...this.#groups].sort(
      ([, first], [, second]) => first.usedAtMs - second.usedAtMs,
    );
    if (key === undefined) return;
    group?.close();
    this.#groups.delete(key);
  }
}

/**
 * The number of processes that need a core at this moment; null where the system does not provide it. A run that waits
 * for a linked run or for a server is not included.
 */
export function countRunnable(): number | null {
  try {
    const runnable = Number(/ (\d+)\//.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1]);
    // This process is one of them.
    return Number.isInteger(runnable) ? runnable - 1 : null;
  } catch {
    return null;
  }
}

/**
 * Identifies the interpreters that can execute a run: those of the same program, started in exactly the same
 * environment. Null if the run needs its own interpreter.
 */
export function describeInterpreter(
  spec: GivenRun,
): { key: string; interpreter: () => InterpreterSpec } | null {
  const { warm, file, env, runId, shared = nothingShared } = spec;
  if (!warm || spec.window || spec.isVerbatim || runId.length !== cookiePlaceholder.length) return null;
  // The arguments are the options, the entry and the arguments of the script. A command of another form is not
  // analysed.
  if (spec.args[warm.options.length] !== warm.entry) return null;
  const { language, options, preload } = warm;
  const known = factsOf(shared);
  const isOwn = (name: string) => Object.hasOwn(env, name);
  if (!known.odd[language].every(isOwn) || oddIn(env, language).length > 0) return null;
  const own = { ...env, [runCookie]: cookiePlaceholder };
  return {
    key: JSON.stringify([language, file, options, preload, known.digest, own]),
    interpreter: () => ({ ...warm, file, env: environmentOf({ shared, env: own }) }),
  };
}

function factsOf(shared: Environment): SharedFacts {
  let facts = knownFacts.get(shared);
  if (facts === undefined) {
    facts = {
      digest: createHash('sha256').update(JSON.stringify(shared)).digest('hex'),
      odd: { python: oddIn(shared, 'python'), 'node.js': oddIn(shared, 'node.js') },
    };
    knownFacts.set(shared, facts);
  }
  return facts;
}

function oddIn(env: Environment, language: WarmLanguage): string[] {
  const prefix = language === 'python' ? 'PYTHON' : 'NODE_';
  return Object.keys(env).filter(
    (name) =>
      (name.startsWith(prefix) && !usualVariables.has(name)) ||
      (pathVariables.has(name) && !isAbsolutePath(env[name] ?? '')),
  );
}

/**
 * Whether all parts of the path list are absolute. An empty value is no path, while an empty part means the current
 * folder.
 */
function isAbsolutePath(value: string): boolean {
  return value === '' || value.split(':').every((part) => part.startsWith('/'));
}

const mebibyte = 1024 * 1024;

/** Below this the machine is short of memory. */
const leastBytes = 256 * mebibyte;

const leastPart = 0.05;

/** Whether this machine, or the container that we are in, has too little memory left to keep warm interpreters. */
export function isShortOfMemory(availableBytes = process.availableMemory()): boolean {
  return (
    availableBytes <
    Math.max(leastBytes, leastPart * Math.min(totalmem(), process.constrainedMemory() || Infinity))
  );
}

function orderFor(spec: RunSpec, { options, entry }: WarmSpec): Order {
  const args = spec.args.slice(options.length + 1);
  return { run_id: spec.runId, file: spec.file, options, entry, args, cwd: spec.cwd };
}
