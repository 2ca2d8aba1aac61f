import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { AppError } from '../shared/errors.ts';
import { type Claim, Gate, type Lease } from './gate.ts';

interface Wish {
  script?: string;
  concurrency?: number;
  lock?: string;
  parent?: string;
}

/** A gate with runs that have names. */
class Yard {
  readonly gate: Gate;
  readonly started: string[] = [];
  readonly #leases = new Map<string, Lease>();
  readonly #leaving = new Map<string, AbortController>();

  constructor(maxRuns: number, maxQueued = 1000) {
    this.gate = new Gate({ maxRuns, maxQueued });
  }

  /** Requests a run. Resolves to whether it was admitted at once. */
  async ask(name: string, wish: Wish = {}): Promise<boolean> {
    const leaving = new AbortController();
    this.#leaving.set(name, leaving);
    const entering = this.gate.enter(claimOf(name, wish), leaving.signal).then((lease) => {
      this.#leases.set(name, lease);
      this.started.push(name);
    });
    entering.catch(() => {});
    await flushPromises();
    return this.#leases.has(name);
  }

  async refusal(name: string, wish: Wish = {}): Promise<AppError | null> {
    try {
      await this.ask(name, wish);
      return null;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  async end(name: string): Promise<void> {
    const lease = this.#leases.get(name);
    if (lease === undefined) throw new Error(`${name} has not started`);
    lease.release();
    await flushPromises();
  }

  async leave(name: string): Promise<void> {
    this.#leaving.get(name)?.abort(new Error('given up'));
    await flushPromises();
  }
}

function claimOf(name: string, { script = name, concurrency, lock, parent }: Wish): Claim {
  return {
    runId: name,
    scriptId: script,
    concurrency: concurrency ?? null,
    lock: lock ?? null,
    waitingParent: parent ?? null,
  };
}

/** Lets the continuations of all settled promises run. */
async function flushPromises(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
}

describe('a gate that is held', () => {
  it('admits no run until it is resumed, then all that fit, in order of arrival', async () => {
    const yard = new Yard(2);
    expect(await yard.ask('before')).toBe(true);
    yard.gate.hold();
    for (const name of ['a', 'b', 'c']) expect(await yard.ask(name)).toBe(false);
    await yard.end('before');
    expect(yard.started).toEqual(['before']);
    expect([yard.gate.running, yard.gate.queued]).toEqual([0, 3]);
    await yard.leave('b');
    yard.gate.resume();
    await flushPromises();
    expect(yard.started).toEqual(['before', 'a', 'c']);
  });

  it('limits the queue', async () => {
    const yard = new Yard(2, 1);
    yard.gate.hold();
    expect(await yard.refusal('a')).toBeNull();
    expect(await yard.refusal('b')).toMatchObject({ code: 'queue-full' });
  });
});

describe('the limit of runs', () => {
  it('admits that many runs at once, and the others in order of arrival', async () => {
    const yard = new Yard(2);
    expect(await yard.ask('a')).toBe(true);
    expect(await yard.ask('b')).toBe(true);
    for (const name of ['c', 'd', 'e']) expect(await yard.ask(name)).toBe(false);
    expect([yard.gate.running, yard.gate.queued]).toEqual([2, 3]);
    await yard.end('b');
    expect(yard.started).toEqual(['a', 'b', 'c']);
    await yard.end('a');
    await yard.end('c');
    expect(yard.started).toEqual(['a', 'b', 'c', 'd', 'e']);
    await yard.end('d');
    await yard.end('e');
    expect([yard.gate.running, yard.gate.queued]).toEqual([0, 0]);
  });

  it('counts a run that already executes, and admits no run until the number is below the limit', async () => {
    const yard = new Yard(1);
    const lock = { lock: 'x' };
    const places = ['a', 'b'].map((name) => yard.gate.adopt(claimOf(name, lock)));
    expect([yard.gate.running, yard.gate.queued]).toEqual([2, 0]);
    expect(await yard.ask('c', lock)).toBe(false);
    places[0]?.release();
    await flushPromises();
    expect(yard.started).toEqual([]);
    places[1]?.release();
    await flushPromises();
    expect(yard.started).toEqual(['c']);
  });

  it('of one suffices for a chain of eight links', async () => {
    const yard = new Yard(1);
    expect(await yard.ask('0')).toBe(true);
    for (let depth = 1; depth <= 8; depth++)
      expect(await yard.ask(`${depth}`, { parent: `${depth - 1}` })).toBe(true);
    for (let depth = 8; depth >= 0; depth--) await yard.end(`${depth}`);
    expect(await yard.ask('next')).toBe(true);
  });

  it('applies during a chain: a run without a waiting parent stays queued', async () => {
    const yard = new Yard(1);
    await yard.ask('parent');
    await yard.ask('child', { parent: 'parent' });
    expect(await yard.ask('stranger')).toBe(false);
    await yard.end('child');
    expect(yard.started).not.toContain('stranger');
    await yard.end('parent');
    expect(yard.started).toContain('stranger');
  });

  it('lets a run lend its slot to one child at a time', async () => {
    const yard = new Yard(1);
    await yard.ask('parent');
    expect(await yard.ask('first', { parent: 'parent' })).toBe(true);
    expect(await yard.ask('second', { parent: 'parent' })).toBe(false);
    await yard.end('first');
    expect(yard.started).toEqual(['parent', 'first', 'second']);
  });

  it('gives more children of a run free slots if there are any', async () => {
    const yard = new Yard(3);
    await yard.ask('parent');
    for (const name of ['first', 'second', 'third'])
      expect(await yard.ask(name, { parent: 'parent' })).toBe(true);
    expect(await yard.ask('fourth', { parent: 'parent' })).toBe(false);
    expect(await yard.ask('stranger')).toBe(false);
    await yard.end('second');
    expect(yard.started.at(-1)).toBe('fourth');
  });

  it('counts a lease that is released twice only once', async () => {
    const gate = new Gate({ maxRuns: 1, maxQueued: 10 });
    const { signal } = new AbortController();
    const first = await gate.enter(claimOf('a', {}), signal);
    first.release();
    first.release();
    const second = await gate.enter(claimOf('b', {}), signal);
    first.release();
    let third = 'waits';
    void gate.enter(claimOf('c', {}), signal).then(() => {
      third = 'started';
    });
    await flushPromises();
    expect(third).toBe('waits');
    second.release();
    await flushPromises();
    expect(third).toBe('started');
  });
});

describe('concurrency', () => {
  const solo = { script: 'solo', concurrency: 1 };

  it('limits the runs of one script and of no other', async () => {
    const yard = new Yard(10);
    expect(await yard.ask('a', { script: 's', concurrency: 2 })).toBe(true);
    expect(await yard.ask('b', { script: 's', concurrency: 2 })).toBe(true);
    expect(await yard.ask('c', { script: 's', concurrency: 2 })).toBe(false);
    expect(await yard.ask('d', { script: 't', concurrency: 2 })).toBe(true);
    expect(await yard.ask('e')).toBe(true);
    await yard.end('a');
    expect(yard.started.at(-1)).toBe('c');
  });

  it('of one lets a script link to itself at any depth', async () => {
    const yard = new Yard(10);
    await yard.ask('0', solo);
    for (let depth = 1; depth <= 8; depth++)
      expect(await yard.ask(`${depth}`, { ...solo, parent: `${depth - 1}` })).toBe(true);
    expect(await yard.ask('stranger', solo)).toBe(false);
    for (let depth = 8; depth >= 1; depth--) await yard.end(`${depth}`);
    expect(yard.started).not.toContain('stranger');
    await yard.end('0');
    expect(yard.started).toContain('stranger');
  });

  it('of one lets a script link to itself through another script', async () => {
    const yard = new Yard(1);
    await yard.ask('a', solo);
    expect(await yard.ask('b', { parent: 'a' })).toBe(true);
    expect(await yard.ask('a again', { ...solo, parent: 'b' })).toBe(true);
  });

  it('is lent to one descendant at a time', async () => {
    const yard = new Yard(10);
    await yard.ask('a', solo);
    expect(await yard.ask('b', { ...solo, parent: 'a' })).toBe(true);
    expect(await yard.ask('c', { ...solo, parent: 'a' })).toBe(false);
    await yard.end('b');
    expect(yard.started.at(-1)).toBe('c');
  });
});

describe('a lock', () => {
  it('keeps different scripts from overlapping', async () => {
    const yard = new Yard(10);
    expect(await yard.ask('a', { lock: 'gpu' })).toBe(true);
    expect(await yard.ask('b', { lock: 'gpu' })).toBe(false);
    expect(await yard.ask('c', { lock: 'disk' })).toBe(true);
    expect(await yard.ask('d')).toBe(true);
    await yard.end('c');
    expect(yard.started).not.toContain('b');
    await yard.end('a');
    expect(yard.started).toContain('b');
  });

  it('is distinct from a script or a slot of the same name', async () => {
    const yard = new Yard(10);
    expect(await yard.ask('a', { script: 'x', concurrency: 1 })).toBe(true);
    expect(await yard.ask('b', { lock: 'x' })).toBe(true);
    expect(await yard.ask('c', { lock: 'slot' })).toBe(true);
    expect(await yard.ask('d')).toBe(true);
  });

  it('held by an ancestor admits its descendants, but keeps siblings apart', async () => {
    const yard = new Yard(10);
    await yard.ask('a', { lock: 'gpu' });
    await yard.ask('b', { parent: 'a' });
    expect(await yard.ask('c', { lock: 'gpu', parent: 'b' })).toBe(true);
    expect(await yard.ask('d', { lock: 'gpu', parent: 'a' })).toBe(false);
    expect(await yard.ask('e', { lock: 'gpu', parent: 'c' })).toBe(true);
    await yard.end('e');
    expect(yard.started).not.toContain('d');
    await yard.end('c');
    expect(yard.started.at(-1)).toBe('d');
  });

  it('does not delay runs that do not need it, even behind waiting runs', async () => {
    const yard = new Yard(3);
    await yard.ask('a', { lock: 'gpu' });
    await yard.ask('b', { lock: 'gpu' });
    expect(await yard.ask('c')).toBe(true);
    expect(await yard.ask('d')).toBe(true);
    expect(await yard.ask('e')).toBe(false);
    await yard.end('c');
    expect(yard.started.at(-1)).toBe('e');
  });

  it('is granted in order of arrival', async () => {
    const yard = new Yard(10);
    for (const name of ['a', 'b', 'c', 'd']) await yard.ask(name, { lock: 'gpu' });
    for (const name of ['a', 'b', 'c', 'd']) await yard.end(name);
    expect(yard.started).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('a circle of waits', () => {
  it('is refused at the link that would close it, and at no other link', async () => {
    const yard = new Yard(10);
    await yard.ask('a', { lock: 'x' });
    await yard.ask('c', { lock: 'y' });
    expect(await yard.refusal('b', { lock: 'y', parent: 'a' })).toBeNull();
    const refused = await yard.refusal('d', { lock: 'x', parent: 'c' });
    expect(refused?.code).toBe('wait-circle');
    expect(refused?.retryAfterS).toBeGreaterThan(0);
    expect(yard.gate.queued).toBe(1);
    await yard.end('c');
    expect(yard.started.at(-1)).toBe('b');
    await yard.end('b');
    await yard.end('a');
    expect([yard.gate.running, yard.gate.queued]).toEqual([0, 0]);
  });

  it('is detected across three chains', async () => {
    const yard = new Yard(10);
    await yard.ask('a', { lock: 'x' });
    await yard.ask('b', { lock: 'y' });
    await yard.ask('c', { lock: 'z' });
    expect(await yard.refusal('a1', { lock: 'y', parent: 'a' })).toBeNull();
    expect(await yard.refusal('b1', { lock: 'z', parent: 'b' })).toBeNull();
    expect((await yard.refusal('c1', { lock: 'x', parent: 'c' }))?.code).toBe('wait-circle');
  });

  it('is detected in the middle of a chain', async () => {
    const yard = new Yard(10);
    await yard.ask('a', { lock: 'x' });
    await yard.ask('a1', { parent: 'a' });
    await yard.ask('b', { lock: 'y' });
    await yard.ask('b1', { parent: 'b' });
    expect(await yard.refusal('a2', { lock: 'y', parent: 'a1' })).toBeNull();
    expect((await yard.refusal('b2', { lock: 'x', parent: 'b1' }))?.code).toBe('wait-circle');
  });

  it('is detected through concurrency limits', async () => {
    const yard = new Yard(10);
    await yard.ask('a', { script: 'p', concurrency: 1 });
    await yard.ask('b', { script: 'q', concurrency: 1 });
    expect(await yard.refusal('a1', { script: 'q', concurrency: 1, parent: 'a' })).toBeNull();
    expect((await yard.refusal('b1', { script: 'p', concurrency: 1, parent: 'b' }))?.code).toBe(
      'wait-circle',
    );
  });

  it('does not exist while one of several holders can still end', async () => {
    const yard = new Yard(10);
    const twice = { script: 'p', concurrency: 2 };
    await yard.ask('a', twice);
    await yard.ask('free', twice);
    await yard.ask('b', { lock: 'y' });
    expect(await yard.refusal('a1', { lock: 'y', parent: 'a' })).toBeNull();
    expect(await yard.refusal('b1', { ...twice, parent: 'b' })).toBeNull();
    await yard.end('free');
    expect(yard.started.at(-1)).toBe('b1');
    await yard.end('b1');
    await yard.end('b');
    expect(yard.started.at(-1)).toBe('a1');
  });

  it('does not exist while the holder of the lock only works', async () => {
    const yard = new Yard(10);
    await yard.ask('a', { lock: 'x' });
    await yard.ask('c', { lock: 'y' });
    expect(await yard.refusal('d', { lock: 'x', parent: 'c' })).toBeNull();
    await yard.end('a');
    expect(yard.started.at(-1)).toBe('d');
  });

  it('is refused before anything is recorded', () => {
    const gate = new Gate({ maxRuns: 10, maxQueued: 10 });
    const { signal } = new AbortController();
    void gate.enter(claimOf('a', { lock: 'x' }), signal);
    void gate.enter(claimOf('c', { lock: 'y' }), signal);
    void gate.enter(claimOf('b', { lock: 'y', parent: 'a' }), signal);
    expect(() => gate.assertRoom(claimOf('d', { lock: 'x', parent: 'c' }))).toThrow(AppError);
    expect(() => gate.assertRoom(claimOf('e', { lock: 'x' }))).not.toThrow();
    expect(gate.queued).toBe(1);
  });

  it('is detected through a child that outlives its parent', async () => {
    const yard = new Yard(10);
    await yard.ask('g', { lock: 'x' });
    await yard.ask('p', { parent: 'g' });
    await yard.ask('c', { lock: 'x', parent: 'p' });
    await yard.end('p');
    await yard.ask('h', { lock: 'y' });
    expect(await yard.refusal('w', { lock: 'x', parent: 'h' })).toBeNull();
    // c borrowed the lock x from g and keeps it when g ends. Waiting for y would therefore mean waiting for itself.
    expect((await yard.refusal('v', { lock: 'y', parent: 'c' }))?.code).toBe('wait-circle');
    await yard.end('g');
    await yard.end('c');
    expect(yard.started.at(-1)).toBe('w');
  });
});

describe('the queue', () => {
  it('refuses a run beyond its limit, but admits runs that need not wait', async () => {
    const yard = new Yard(2, 2);
    await yard.ask('a', { lock: 'x' });
    await yard.ask('b', { lock: 'x' });
    await yard.ask('c', { lock: 'x' });
    const refused = await yard.refusal('d', { lock: 'x' });
    expect(refused?.code).toBe('queue-full');
    expect(refused?.retryAfterS).toBeGreaterThan(0);
    expect(await yard.ask('e')).toBe(true);
    expect((await yard.refusal('f'))?.code).toBe('queue-full');
    await yard.end('a');
    expect(await yard.refusal('g')).toBeNull();
  });

  it('of length zero admits runs that can start at once', async () => {
    const yard = new Yard(1, 0);
    expect(await yard.ask('a')).toBe(true);
    expect((await yard.refusal('b'))?.code).toBe('queue-full');
    expect(await yard.ask('child', { parent: 'a' })).toBe(true);
    await yard.end('child');
    await yard.end('a');
    expect(await yard.ask('c')).toBe(true);
  });

  it('rejects a run that gives up with its reason, and keeps the order of the others', async () => {
    const gate = new Gate({ maxRuns: 1, maxQueued: 2 });
    const { signal } = new AbortController();
    const first = await gate.enter(claimOf('a', {}), signal);
    const leaving = new AbortController();
    const given = gate.enter(claimOf('b', {}), leaving.signal);
    const order: string[] = [];
    const third = gate.enter(claimOf('c', {}), signal).then((lease) => {
      order.push('c');
      return lease;
    });
    expect(gate.queued).toBe(2);
    const reason = new Error('waited too long');
    leaving.abort(reason);
    await expect(given).rejects.toBe(reason);
    expect(gate.queued).toBe(1);
    const fourth = gate.enter(claimOf('d', {}), signal).then((lease) => {
      order.push('d');
      return lease;
    });
    first.release();
    (await third).release();
    (await fourth).release();
    expect(order).toEqual(['c', 'd']);
    expect([gate.running, gate.queued]).toEqual([0, 0]);
  });

  it('accepts all runs that an earlier service accepted, in their order', async () => {
    const gate = new Gate({ maxRuns: 1, maxQueued: 1 });
    const { signal } = new AbortController();
    const first = await gate.readmit(claimOf('a', {}), signal);
    const order: string[] = [];
    const others = ['b', 'c', 'd'].map((name) =>
      gate.readmit(claimOf(name, {}), signal).then((lease) => {
        order.push(name);
        lease.release();
      }),
    );
    expect([gate.running, gate.queued]).toEqual([1, 3]);
    expect(() => gate.enter(claimOf('new', {}), signal)).toThrow(AppError);
    first.release();
    await Promise.all(others);
    expect(order).toEqual(['b', 'c', 'd']);
  });

  it('rejects a run that was already given up', async () => {
    const gate = new Gate({ maxRuns: 1, maxQueued: 2 });
    const reason = new Error('gone');
    expect(() => gate.enter(claimOf('a', {}), AbortSignal.abort(reason))).toThrow(reason);
    expect([gate.running, gate.queued]).toEqual([0, 0]);
  });

  it('does not take back an admitted run', async () => {
    const yard = new Yard(1);
    await yard.ask('a');
    await yard.ask('b');
    await yard.end('a');
    await yard.leave('b');
    expect([yard.gate.running, yard.gate.queued]).toEqual([1, 0]);
    expect(await yard.ask('c')).toBe(false);
    await yard.end('b');
    expect(yard.started).toEqual(['a', 'b', 'c']);
  });

  it('lets the parent continue when its child gives up', async () => {
    const yard = new Yard(10);
    await yard.ask('a', { lock: 'x' });
    await yard.ask('c', { lock: 'y' });
    await yard.ask('b', { lock: 'y', parent: 'a' });
    await yard.leave('b');
    // No run in the chain of a waits for y any more, so c may wait for x.
    expect(await yard.refusal('d', { lock: 'x', parent: 'c' })).toBeNull();
    await yard.end('a');
    expect(yard.started.at(-1)).toBe('d');
  });
});

describe('a run that waits for one that it did not start', () => {
  it('lends its resources to it, so that they do not wait for each other', async () => {
    const yard = new Yard(1);
    await yard.ask('waiting', { lock: 'gpu' });
    expect(await yard.ask('queued', { lock: 'gpu' })).toBe(false);
    yard.gate.lend('queued', 'waiting');
    await flushPromises();
    expect(yard.started).toEqual(['waiting', 'queued']);
    await yard.end('queued');
    expect(await yard.ask('other')).toBe(false);
    await yard.end('waiting');
    expect(yard.started).toEqual(['waiting', 'queued', 'other']);
  });

  it('lends nothing to a run that executes, has another lender or does not exist, and only what it holds', async () => {
    const yard = new Yard(2);
    await yard.ask('one', { lock: 'a' });
    await yard.ask('two', { lock: 'b' });
    expect(await yard.ask('child', { lock: 'b', parent: 'one' })).toBe(false);
    expect(await yard.ask('queued')).toBe(false);
    yard.gate.lend('one', 'two');
    yard.gate.lend('child', 'two');
    yard.gate.lend('unknown', 'two');
    yard.gate.lend('queued', 'unknown');
    await flushPromises();
    expect(yard.started).toEqual(['one', 'two']);
  });

  it('is refused if that would close a circle, and the other run keeps its place', async () => {
    const yard = new Yard(10);
    await yard.ask('one', { lock: 'a' });
    await yard.ask('two', { lock: 'b' });
    await yard.ask('child of one', { lock: 'b', parent: 'one' });
    expect(await yard.ask('queued', { lock: 'a' })).toBe(false);
    expect(() => yard.gate.lend('queued', 'two')).toThrow(expect.objectContaining({ code: 'wait-circle' }));
    await yard.end('two');
    await yard.end('child of one');
    await yard.end('one');
    expect(yard.started).toEqual(['one', 'two', 'child of one', 'queued']);
  });
});

describe('a run that ends before its child', () => {
  it('leaves the slot to the child', async () => {
    const yard = new Yard(1);
    await yard.ask('parent');
    await yard.ask('child', { parent: 'parent' });
    await yard.ask('stranger');
    await yard.end('parent');
    expect(yard.started).not.toContain('stranger');
    await yard.end('child');
    expect(yard.started).toContain('stranger');
  });

  it('leaves it resources borrowed from an ancestor, which the child returns to that ancestor', async () => {
    const yard = new Yard(10);
    await yard.ask('g', { lock: 'x' });
    await yard.ask('p', { lock: 'x', parent: 'g' });
    await yard.ask('c', { lock: 'x', parent: 'p' });
    await yard.end('p');
    expect(await yard.ask('sibling', { lock: 'x', parent: 'g' })).toBe(false);
    await yard.ask('stranger', { lock: 'x' });
    await yard.end('c');
    expect(yard.started.at(-1)).toBe('sibling');
    await yard.end('sibling');
    expect(yard.started).not.toContain('stranger');
    await yard.end('g');
    expect(yard.started.at(-1)).toBe('stranger');
  });

  it('leaves a queued child its place in the queue', async () => {
    const yard = new Yard(10);
    await yard.ask('a', { lock: 'x' });
    await yard.ask('p', { lock: 'y' });
    await yard.ask('child', { lock: 'x', parent: 'p' });
    await yard.end('p');
    expect(yard.gate.queued).toBe(1);
    await yard.end('a');
    expect(yard.started.at(-1)).toBe('child');
  });
});

interface Kind {
  concurrency: number | null;
  lock: string | null;
}

interface Simulated {
  number: number;
  name: string;
  kind: number;
  parent: Simulated | null;
  state: 'queued' | 'running' | 'over';
  children: Simulated[];
  leaving: AbortController;
  lease: Lease | null;
}

/** Performs random submits, links, ends and cancellations on a gate, and checks all invariants after each step. */
class Simulation {
  readonly gate: Gate;
  readonly runs: Simulated[] = [];
  readonly refusals: string[] = [];
  /** The first link that was refused because it would close a circle. */
  circle: { readonly claim: Claim; readonly parent: Simulated } | null = null;
  readonly #kinds: readonly Kind[];
  readonly #maxRuns: number;

  constructor(kinds: readonly Kind[], maxRuns: number, maxQueued: number) {
    this.#kinds = kinds;
    this.#maxRuns = maxRuns;
    this.gate = new Gate({ maxRuns, maxQueued });
  }

  in(state: Simulated['state']): Simulated[] {
    return this.runs.filter((run) => run.state === state);
  }

  /** Runs that wait for no child, so they can end. */
  working(): Simulated[] {
    return this.in('running').filter((run) => run.children.every((child) => child.state === 'over'));
  }

  async submit(kind: number, parent: Simulated | null): Promise<void> {
    const { concurrency, lock } = this.#kinds[kind] ?? { concurrency: null, lock: null };
    const run: Simulated = {
      number: this.runs.length,
      name: `run ${this.runs.length}`,
      kind,
      parent,
      state: 'queued',
      children: [],
      leaving: new AbortController(),
      lease: null,
    };
    const claim: Claim = {
      runId: run.name,
      scriptId: `script ${kind}`,
      concurrency,
      lock,
      waitingParent: parent?.name ?? null,
    };
    try {
      void this.gate.enter(claim, run.leaving.signal).then(
        (lease) => this.#start(run, lease),
        () => {
          run.state = 'over';
        },
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.refusals.push(error.code);
      if (error.code === 'wait-circle' && parent !== null) this.circle ??= { claim, parent };
      return;
    }
    this.runs.push(run);
    parent?.children.push(run);
    await flushPromises();
  }

  #start(run: Simulated, lease: Lease): void {
    const alike = this.runs.filter(
      (other) => other.state === 'queued' && other.kind === run.kind && other.parent === null,
    );
    ensure(
      run.parent !== null || alike.every((other) => other.number >= run.number),
      'runs are admitted in order of arrival',
    );
    run.state = 'running';
    run.lease = lease;
  }

  async end(run: Simulated): Promise<void> {
    run.state = 'over';
    run.lease?.release();
    await flushPromises();
  }

  async leave(run: Simulated): Promise<void> {
    run.leaving.abort(new Error('given up'));
    await flushPromises();
  }

  check(): void {
    const running = this.in('running');
    const queued = this.in('queued');
    ensure(this.gate.running === running.length, 'the gate counts the admitted runs');
    ensure(this.gate.queued === queued.length, 'the gate counts the queued runs');
    // A run has lent a resource if a descendant holds the same resource.
    const users = (uses: (run: Simulated) => boolean) => {
      const all = running.filter(uses);
      return all.filter((run) => !all.some((other) => isAncestor(run, other))).length;
    };
    ensure(users(() => true) <= this.#maxRuns, 'the limit of runs is kept');
    for (const [index, { concurrency }] of this.#kinds.entries()) {
      ensure(
        users(({ kind }) => kind === index) <= (concurrency ?? Infinity),
        'the concurrency of a script is kept',
      );
    }
    for (const lock of new Set(this.#kinds.map((kind) => kind.lock))) {
      if (lock !== null)
        ensure(users(({ kind }) => this.#kinds[kind]?.lock === lock) <= 1, 'a lock has one user');
    }
    ensure(queued.length === 0 || this.working().length > 0, 'a run works while others wait');
  }

  /** Checks that a refused link could never have started, even after all others ended. */
  async checkCircle(): Promise<void> {
    if (this.circle === null) return;
    const { claim, parent } = this.circle;
    const others = () => this.working().filter((run) => run !== parent);
    for (let left = others(); left.length > 0; left = others()) for (const run of left) await this.end(run);
    expect(() => this.gate.assertRoom(claim)).toThrow(AppError);
  }

  /** Ends all runs that can end, until none is left. */
  async drain(pick: (count: number) => number): Promise<void> {
    for (let left = this.working(); left.length > 0; left = this.working()) {
      const run = left[pick(left.length)];
      if (run === undefined) throw new Error('no run was picked');
      await this.end(run);
      this.check();
    }
    ensure(this.in('running').length === 0 && this.in('queued').length === 0, 'all runs end');
    ensure(this.gate.running === 0 && this.gate.queued === 0, 'the gate ends empty');
  }
}

/** Called thousands of times per second, for which `expect` is too slow. */
function ensure(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Violated: ${what}`);
}

function isAncestor(older: Simulated, younger: Simulated): boolean {
  for (let run = younger.parent; run !== null; run = run.parent) if (run === older) return true;
  return false;
}

const steps = fc.array(fc.noBias(fc.tuple(fc.nat(99), fc.nat(), fc.nat())), {
  minLength: 1,
  maxLength: 60,
  size: 'max',
});

async function simulate(
  simulation: Simulation,
  kinds: readonly Kind[],
  script: readonly [number, number, number][],
  { orphans }: { orphans: boolean },
): Promise<void> {
  for (const [action, which, what] of script) {
    const choose = (runs: Simulated[]) => runs[which % Math.max(1, runs.length)];
    const kind = what % kinds.length;
    if (action < 25) await simulation.submit(kind, null);
    else if (action < 65) {
      const parent = choose(simulation.in('running'));
      if (parent !== undefined) await simulation.submit(kind, parent);
    } else if (action < 90) {
      const run = choose(orphans ? simulation.in('running') : simulation.working());
      if (run !== undefined) await simulation.end(run);
    } else {
      const run = choose(simulation.in('queued'));
      if (run !== undefined) await simulation.leave(run);
    }
    simulation.check();
    if (simulation.circle !== null) break;
  }
  await simulation.checkCircle();
  let turn = 0;
  await simulation.drain((count) => {
    const [, which = 0] = script[turn++ % script.length] ?? [];
    return which % count;
  });
}

describe('any sequence of runs, links and ends', () => {
  const kindsArbitrary = fc.array(
    fc.record({
      concurrency: fc.constantFrom(null, null, null, 1, 2),
      lock: fc.constantFrom(null, 'x', 'y', 'z'),
    }),
    { minLength: 1, maxLength: 6, size: 'max' },
  );
  const limitArbitrary = fc.integer({ min: 1, max: 6 });

  it('keeps limits and locks, never stalls, refuses only real circles, and leaves the gate empty', async () => {
    let refusedCircles = 0;
    await fc.assert(
      fc.asyncProperty(kindsArbitrary, limitArbitrary, steps, async (kinds, maxRuns, script) => {
        const simulation = new Simulation(kinds, maxRuns, 20);
        await simulate(simulation, kinds, script, { orphans: false });
        if (simulation.refusals.includes('wait-circle')) refusedCircles += 1;
      }),
      { numRuns: 1000 },
    );
    // Otherwise the property would not cover circles.
    expect(refusedCircles).toBeGreaterThan(5);
  });

  it('does the same when runs end before the children they linked', async () => {
    await fc.assert(
      fc.asyncProperty(kindsArbitrary, limitArbitrary, steps, async (kinds, maxRuns, script) => {
        await simulate(new Simulation(kinds, maxRuns, 20), kinds, script, { orphans: true });
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses no link as a circle if there is one lock and no other limit', async () => {
    const kinds: Kind[] = [
      { concurrency: null, lock: 'x' },
      { concurrency: null, lock: null },
    ];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, async (maxRuns, script) => {
        const simulation = new Simulation(kinds, maxRuns, 1000);
        await simulate(simulation, kinds, script, { orphans: false });
        expect(simulation.refusals).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
