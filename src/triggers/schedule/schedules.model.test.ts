import { expect, it } from 'vitest';

import { SeededRandom } from '../../../test/support/random.ts';
import {
  dayMs,
  hourMs,
  minuteMs,
  ScheduleScene,
  schedule,
  secondMs,
} from '../../../test/support/schedule-scene.ts';
import type { ScheduleTrigger } from '../trigger.ts';
import type { TriggerStore } from '../trigger-store.ts';
import { slotAfter } from './cron.ts';
import { jitterOf, type Position, parsePosition } from './position.ts';

class Killed extends Error {}

/** A store whose process ends before or after one of the next calls. */
function killable(store: TriggerStore, kill: { callsLeft: number }, onKill: () => void): TriggerStore {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...values: unknown[]) => {
        const die = () => {
          onKill();
          throw new Killed();
        };
        if (kill.callsLeft < 0) throw new Killed();
        if (kill.callsLeft-- === 0) die();
        const result: unknown = method.apply(target, values);
        if (kill.callsLeft === 0) {
          kill.callsLeft = -1;
          die();
        }
        return result;
      };
    },
  });
}

/** A time in which a schedule had the same slots. */
interface Era {
  readonly trigger: ScheduleTrigger;
  readonly zone: string;
  /** When its first slot could come. */
  readonly after: number;
  readonly since: number;
  at: number;
  /** Up to where an earlier era has dealt with slots. */
  readonly high: number | null;
}

const ids = ['one', 'two', 'three'];

/** Random schedules, and everything that may happen to them. */
class Model {
  readonly scene = new ScheduleScene('2026-03-20T12:00:30.000Z');
  readonly random: SeededRandom;
  readonly eras = new Map<string, Era[]>(ids.map((id) => [id, []]));
  readonly on = new Map<string, ScheduleTrigger>();
  /** How many calls of the store the current service, and the next one, have left. */
  #kill = { callsLeft: Infinity };
  #budget = Infinity;
  readonly #history: string[] = [];
  /** Whether slots may have come twice. */
  wasBack = false;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.scene.wrapStore = (store) => {
      this.#kill = { callsLeft: this.#budget };
      return killable(store, this.#kill, () => this.scene.kill());
    };
    for (const id of ids) this.on.set(id, this.#newTrigger(id));
  }

  get name(): string {
    return `seed ${this.random.seed}: ${this.#history.join(', ')}`;
  }

  async begin(): Promise<void> {
    await this.scene.startWith(...this.on.values());
    this.observe();
  }

  async step(): Promise<void> {
    const { random, scene } = this;
    if (!scene.isRunning) await this.#startAgain();
    const [name, act] = random.pick(this.#actions);
    this.#history.push(name);
    await act();
    this.observe();
    await scene.time.pass(random.between(1, 100 * secondMs));
    this.observe();
  }

  /** All parts work again, for long enough to catch up. */
  async recover(): Promise<void> {
    const { scene } = this;
    Object.assign(scene.runs, { refusal: null, isFailing: false, durationMs: 0 });
    for (const id of ids) for (const run of scene.runs.live(id)) scene.runs.end(run);
    this.#kill.callsLeft = Infinity;
    if (!scene.isRunning) await this.#startAgain(false);
    for (const id of ids) if (!this.on.has(id)) this.on.set(id, this.#last(id) ?? this.#newTrigger(id));
    await scene.set(...this.on.values());
    this.observe();
    await scene.time.pass(12 * minuteMs);
    this.observe();
  }

  position(id: string): Position | null {
    return parsePosition(this.scene.store.position(id) ?? '');
  }

  /** Follows up to where slots are dealt with. */
  observe(): void {
    for (const [id, trigger] of this.on) {
      const position = this.position(id);
      const eras = this.eras.get(id) ?? [];
      const era = eras.at(-1);
      if (
        position === null ||
        position.rule !== JSON.stringify([trigger.cron, trigger.everyMs, trigger.timezone])
      )
        continue;
      const { since, at, zone, high } = position;
      if (era?.since === since && era.high === high && sameSlots(era.trigger, trigger)) era.at = at;
      // The clock is where it was before it was set back: the slots between were dealt with then.
      else if (era !== undefined && era.high !== null && high === null && era.high <= at)
        eras.push({ trigger, zone, after: Math.max(era.high, era.at), since, at, high });
      else eras.push({ trigger, zone, after: since, since, at, high });
    }
  }

  readonly #actions: [string, () => Promise<void> | void][] = [
    ['pass', () => this.scene.time.pass(this.random.between(secondMs, 3 * minuteMs))],
    ['long pass', () => this.scene.time.pass(this.random.between(minuteMs, 20 * minuteMs))],
    ['short sleep', () => this.scene.time.jump(this.random.between(secondMs, 90 * secondMs))],
    ['sleep', () => this.scene.time.jump(this.random.between(minuteMs, 10 * hourMs))],
    ['long sleep', () => this.scene.time.jump(this.random.between(hourMs, 12 * dayMs))],
    ['clock back', () => this.#back(this.random.between(1, 2 * hourMs))],
    ['clock far back', () => this.#back(this.random.between(hourMs, 20 * dayMs))],
    ['restart', () => this.#stop()],
    ['stop for long', () => this.#stop(this.random.between(secondMs, 5 * hourMs))],
    ['kill', () => this.scene.kill()],
    ['kill soon', () => this.#killSoon()],
    ['kill soon', () => this.#killSoon()],
    ['kill soon', () => this.#killSoon()],
    ['edit', () => this.#edit((trigger) => this.#newTrigger(trigger.id))],
    ['edit params', () => this.#edit((trigger) => ({ ...trigger, params: { seed: this.random.next() } }))],
    ['pause', () => this.#pause()],
    ['script gone', () => this.#pause(true)],
    ['resume', () => this.#resume()],
    [
      'refuse',
      () => this.#behave({ refusal: { reason: 'cannot-start', isLasting: this.random.next() < 0.3 } }),
    ],
    ['accept', () => this.#behave({ refusal: null })],
    ['slow runs', () => this.#behave({ durationMs: this.random.between(0, 3 * minuteMs) })],
    ['quick runs', () => this.#behave({ durationMs: 0 })],
    ['fail', () => this.#behave({ isFailing: this.random.next() < 0.5 })],
  ];

  #behave(change: Partial<ScheduleScene['runs']>): void {
    Object.assign(this.scene.runs, change);
  }

  #newTrigger(id: string): ScheduleTrigger {
    const { random } = this;
    const times = random.pick([
      { everyMs: random.pick([7, 10, 60, 90, 1800]) * secondMs },
      {
        cron: random.pick(['* * * * *', '*/7 * * * *', '30 2 * * *', '*/20 */5 * * * *', '15,45 * * * mon']),
      },
    ]);
    return schedule({
      id,
      timezone: random.pick([null, 'Europe/Berlin', 'Australia/Lord_Howe']),
      missed: random.pick(['skip', 'once', 'all']),
      missedWithinMs: random.pick([0, 5 * minuteMs, dayMs, 7 * dayMs]),
      overlap: random.pick(['skip', 'queue', 'allow']),
      jitterMs: random.pick([0, 0, 20 * secondMs, 2 * minuteMs]),
      ...times,
    });
  }

  #last(id: string): ScheduleTrigger | undefined {
    return this.eras.get(id)?.at(-1)?.trigger;
  }

  #back(ms: number): void {
    this.wasBack = true;
    this.scene.time.jump(-ms);
  }

  async #stop(forMs = 0): Promise<void> {
    await this.scene.stop();
    this.observe();
    await this.scene.time.pass(forMs);
  }

  async #killSoon(): Promise<void> {
    this.#kill.callsLeft = this.random.between(0, 25);
    await this.scene.time.pass(this.random.between(secondMs, 3 * minuteMs));
  }

  async #startAgain(mayKill = true): Promise<void> {
    this.#budget = mayKill && this.random.next() < 0.3 ? this.random.between(0, 25) : Infinity;
    await this.scene.startWith(...this.on.values());
    this.#budget = Infinity;
    if (!this.scene.isRunning) await this.scene.startWith(...this.on.values());
    this.observe();
  }

  async #set(): Promise<void> {
    // Also while the service does not run, as a user edits the file.
    const chance = this.random.next();
    if (chance < 0.2) await this.scene.stop();
    else if (chance < 0.4) this.scene.kill();
    this.observe();
    if (this.scene.isRunning) await this.scene.set(...this.on.values());
    else await this.#startAgain();
  }

  async #edit(change: (trigger: ScheduleTrigger) => ScheduleTrigger): Promise<void> {
    const trigger = this.on.get(this.random.pick(ids));
    if (trigger === undefined) return;
    this.observe();
    this.on.set(trigger.id, change(trigger));
    await this.#set();
  }

  async #pause(isScriptMissing = false): Promise<void> {
    const id = this.random.pick(ids);
    this.observe();
    this.on.delete(id);
    if (isScriptMissing) this.scene.unable.set(id, 'script-missing');
    await this.#set();
  }

  async #resume(): Promise<void> {
    for (const id of ids) {
      const trigger = this.#last(id);
      if (!this.on.has(id) && trigger !== undefined) this.on.set(id, trigger);
      this.scene.unable.delete(id);
    }
    await this.#set();
  }
}

function sameSlots(one: ScheduleTrigger, other: ScheduleTrigger): boolean {
  return one.cron === other.cron && one.everyMs === other.everyMs && one.timezone === other.timezone;
}

function slotsOf({ trigger, zone, after, at }: Era): number[] {
  const slots: number[] = [];
  for (
    let slot = slotAfter(trigger, zone, after);
    slot !== null && slot <= at;
    slot = slotAfter(trigger, zone, slot)
  )
    slots.push(slot);
  return slots;
}

const rounds = Array.from({ length: 12 }, (_, index) => index);

it.each(rounds)('accounts for every slot in round %i', async () => {
  const model = new Model(new SeededRandom().seed);
  const { scene } = model;
  try {
    await model.begin();
    for (let step = 0; step < 60; step++) await model.step();
    await model.recover();

    for (const id of ids) {
      const what = `${id} of ${model.name}`;
      const keys = scene.runs.started.filter(({ triggerId }) => triggerId === id).map(({ key }) => key);
      expect(
        keys.filter((key, index) => keys.indexOf(key) !== index),
        `fired twice: ${what}`,
      ).toEqual([]);

      const firings = scene.firings(id);
      const single = new Map(firings.map((firing) => [firing.key, firing]));
      const ranges = firings.flatMap(({ detail, reason }) => {
        const [, count, from, to] = /^(\d+) slots from (\S+Z) to (\S+Z)/.exec(detail ?? '') ?? [];
        if (reason === 'clock-back' || from === undefined || to === undefined) return [];
        return [{ count: Number(count), from: Date.parse(from), to: Date.parse(to) }];
      });
      for (const era of model.eras.get(id) ?? []) {
        const slots = slotsOf(era);
        const records = slots.map((slot) => {
          const isSingle = single.has(`schedule:${id}:${new Date(slot).toISOString()}`);
          return (isSingle ? 1 : 0) + ranges.filter(({ from, to }) => from <= slot && slot <= to).length;
        });
        const wrong = slots.filter((_, index) =>
          model.wasBack ? records[index] === 0 : records[index] !== 1,
        );
        expect(
          wrong.map((slot) => new Date(slot).toISOString()),
          `not one record: ${what}`,
        ).toEqual([]);
      }

      const runs = firings.filter(({ outcome, runId }) => outcome === 'fired' && runId !== null);
      expect(runs, `runs without a record: ${what}`).toHaveLength(keys.length);
      if (!model.wasBack) {
        const due = runs.map(({ dueAt }) => Date.parse(dueAt));
        expect(due, `order: ${what}`).toEqual([...due].sort((a, b) => a - b));
      }

      const trigger = model.on.get(id);
      const position = model.position(id);
      if (trigger === undefined || position === null) throw new Error(`no position: ${what}`);
      const next = slotAfter(trigger, position.zone, position.at);
      expect((next ?? Infinity) + jitterOf(trigger), `a slot is left: ${what}`).toBeGreaterThan(
        scene.time.wall - secondMs,
      );
    }
  } finally {
    scene.close();
  }
});
