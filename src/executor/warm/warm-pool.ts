import { existsSync } from 'node:fs';

import type { WarmLimits, WarmState } from '../../execution/messages.ts';
import type { FifoPool } from '../fifo-pool.ts';
import type { GivenRun } from '../given-run.ts';
import { describeInterpreter } from './interpreter-key.ts';
import { Launcher } from './launcher.ts';
import type { Launched } from './launcher-process.ts';
import { isShortOfMemory, memoryOf } from './memory.ts';
import { type GroupTools, WarmGroup } from './warm-group.ts';
import { type InterpreterSpec, orderFor, type WarmInterpreter } from './warm-interpreter.ts';

const reviewMs = 5000;
/** How long it counts what the system said of its memory: asking costs more than forking. */
const memoryNewsMs = 1000;
/** Scripts with variables of their own each make a group. */
const mostGroups = 16;
/** One that was used so recently is not ended in favour of another: they would take turns. */
const spareMs = 10_000;

interface WarmPoolOptions {
  readonly fifos: FifoPool;
  readonly programs: GroupTools['programs'];
  /** What starts programs quickly: a Python, and what it runs. Null where there is none, or nothing to be gained. */
  readonly launcher: { readonly python: string; readonly program: string } | null;
  readonly onChange: () => void;
  /** Whether there is more to run than there are cores. */
  readonly isBusy: () => boolean;
  readonly isShort?: () => boolean;
  readonly now?: () => number;
}

/** The interpreters that wait for runs: within a budget, and none when nobody has needed one for a while. */
export class WarmPool {
  readonly #groups = new Map<string, WarmGroup>();
  readonly #tools: GroupTools;
  readonly #isShort: () => boolean;
  readonly #launcher: Launcher | null;
  #launcherBytes = 0;
  #limits: WarmLimits = { memoryBytes: 0, idleMs: 0 };
  #hits = 0;
  #misses = 0;
  #short = { is: false, atMs: Number.NEGATIVE_INFINITY };
  #timer: NodeJS.Timeout | undefined;

  constructor({ fifos, programs, launcher, onChange, isBusy, isShort, now }: WarmPoolOptions) {
    this.#isShort = isShort ?? isShortOfMemory;
    this.#tools = {
      fifos,
      programs,
      now: now ?? (() => performance.now()),
      mayGrow: (group, bytes) => this.#mayGrow(group, bytes),
      isBusy,
      changed: onChange,
    };
    this.#launcher = launcher && new Launcher({ ...launcher, fifos, now: this.#tools.now });
  }

  /** Until this was called there are none. */
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

  /** An interpreter that was given this run; null when it is to be started cold. */
  async start(spec: GivenRun): Promise<WarmInterpreter | null> {
    if (this.#limits.memoryBytes === 0) return null;
    const described = describeInterpreter(spec);
    // Without its folder it cannot be started, which is for a real start to say.
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

  /** A program that was started without a copy of this process; null when it is to be started otherwise. */
  async launch(spec: GivenRun): Promise<Launched | null> {
    if (this.#launcher === null || this.#limits.memoryBytes === 0) return null;
    this.#watch();
    return this.#launcher.start(spec);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#launcher?.close();
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
    let sum = this.#launcherBytes;
    for (const group of this.#groups.values()) sum += group.memoryBytes;
    return sum;
  }

  #claimedBesides(spared: WarmGroup): number {
    let sum = this.#launcherBytes;
    for (const group of this.#groups.values()) if (group !== spared) sum += group.claimedBytes;
    return sum;
  }

  #watch(): void {
    this.#timer ??= setInterval(() => void this.#review(), reviewMs).unref();
  }

  async #review(): Promise<void> {
    const nowMs = this.#tools.now();
    const isOver = this.#limits.memoryBytes === 0 || this.#askMemory();
    for (const [key, group] of this.#groups) {
      if (isOver || nowMs - group.usedAtMs > this.#limits.idleMs) {
        group.close();
        this.#groups.delete(key);
      }
    }
    const launcher = this.#launcher;
    if (launcher !== null && (isOver || nowMs - launcher.usedAtMs > this.#limits.idleMs)) launcher.close();
    await Promise.all([...this.#groups.values()].map((group) => group.review()));
    const launcherPid = launcher?.pid;
    this.#launcherBytes = launcherPid === undefined ? 0 : ((await memoryOf(launcherPid)) ?? 0);
    while (this.#memoryBytes > this.#limits.memoryBytes && this.#retireOldest(null)) {
      // The one that was used least recently goes first.
    }
    // Whoever was told that there is too little memory is told when there is enough again.
    if (this.#groups.size > 0 || launcherPid !== undefined || this.#short.is) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #mayGrow(group: WarmGroup, bytes: number): boolean {
    if (this.#askMemory()) return false;
    while (this.#claimedBesides(group) + group.memoryBytes + bytes > this.#limits.memoryBytes) {
      if (!this.#retireOldest(group)) return false;
    }
    return true;
  }

  #askMemory(): boolean {
    const nowMs = this.#tools.now();
    if (nowMs - this.#short.atMs > memoryNewsMs) {
      const was = this.#short.is;
      this.#short = { is: this.#isShort(), atMs: nowMs };
      if (this.#short.is !== was) this.#tools.changed();
    }
    return this.#short.is;
  }

  /** Whether there was one to be ended: not that for which the room is made, and none that is in use. */
  #retireOldest(spared: WarmGroup | null): boolean {
    const nowMs = this.#tools.now();
    let oldest: WarmGroup | null = null;
    for (const group of this.#groups.values()) {
      const isCandidate = group !== spared && group.claimedBytes > 0;
      if (isCandidate && (spared === null || nowMs - group.usedAtMs > spareMs)) {
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
