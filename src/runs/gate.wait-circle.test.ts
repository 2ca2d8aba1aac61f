import { describe, expect, it } from 'vitest';

import { type Holder, isStuck, type Waiting } from './gate.ts';

function holder(runId: string, own: string[], parent: Holder | null = null): Holder {
  return { runId, parent, has: new Map(own.map((thing) => [thing, null])), lent: new Map() };
}

function lend(thing: string, from: Holder, to: Holder): void {
  from.lent.set(thing, to);
  to.has.set(thing, from);
}

function waiting(
  runId: string,
  parent: Holder | null,
  thing: string,
  lender: Holder | null = null,
  limit = 1,
): Waiting {
  return { runId, parent: parent?.runId ?? null, needs: [{ thing, limit, lender }] };
}

describe('a waiting run', () => {
  it('is not stuck behind a run that waits for none', () => {
    const a = holder('a', ['x']);
    expect(isStuck('w', [waiting('w', null, 'x')], [a])).toBe(false);
  });

  it('is stuck when the holder of its resource waits for it', () => {
    const a = holder('a', ['x']);
    expect(isStuck('w', [waiting('w', a, 'x')], [a])).toBe(true);
  });

  it('is not stuck when an ancestor can lend it the resource', () => {
    const a = holder('a', ['x']);
    expect(isStuck('w', [waiting('w', a, 'x', a)], [a])).toBe(false);
  });

  it('is not stuck while a resource lent by its ancestor will be returned', () => {
    const a = holder('a', ['x']);
    const sibling = holder('sibling', [], a);
    lend('x', a, sibling);
    expect(isStuck('w', [waiting('w', a, 'x', a)], [a, sibling])).toBe(false);
  });

  it('is stuck when a resource lent by its ancestor is held by a run that waits for it', () => {
    const a = holder('a', ['x']);
    const sibling = holder('sibling', ['y'], a);
    lend('x', a, sibling);
    const w = waiting('w', a, 'x', a);
    const other = waiting('other', sibling, 'z');
    const b = holder('b', ['z']);
    const back = waiting('back', b, 'y');
    expect(isStuck('w', [w, other, back], [a, sibling, b])).toBe(true);
    expect(isStuck('w', [w, other], [a, sibling, b])).toBe(false);
  });

  it('is stuck in a circle of any length, like all others in the circle', () => {
    const things = ['p', 'q', 'r', 's', 't'];
    const holders = things.map((thing) => holder(`holder of ${thing}`, [thing]));
    const waiters = holders.map((parent, index) =>
      waiting(`waiter ${index}`, parent, things[(index + 1) % things.length] ?? ''),
    );
    for (const { runId } of waiters) expect(isStuck(runId, waiters, holders)).toBe(true);
    for (const { runId } of waiters.slice(1)) expect(isStuck(runId, waiters.slice(1), holders)).toBe(false);
  });

  it('is not stuck outside a circle, but is stuck behind one', () => {
    const a = holder('a', ['x']);
    const b = holder('b', ['y']);
    const free = holder('free', ['z']);
    const circle = [waiting('a1', a, 'y'), waiting('b1', b, 'x')];
    const holders = [a, b, free];
    expect(isStuck('w', [...circle, waiting('w', null, 'z')], holders)).toBe(false);
    expect(isStuck('w', [...circle, waiting('w', null, 'x')], holders)).toBe(true);
  });

  it('is stuck if one of its resources never becomes free', () => {
    const a = holder('a', ['x']);
    const free = holder('free', ['z']);
    const both: Waiting = {
      runId: 'w',
      parent: 'a',
      needs: [
        { thing: 'z', limit: 1, lender: null },
        { thing: 'x', limit: 1, lender: null },
      ],
    };
    expect(isStuck('w', [both], [a, free])).toBe(true);
  });

  it('is not stuck while one of several holders can end', () => {
    const a = holder('a', ['x']);
    const works = holder('works', ['x']);
    expect(isStuck('w', [waiting('w', a, 'x', null, 2)], [a, works])).toBe(false);
    expect(isStuck('w', [waiting('w', a, 'x', null, 1)], [a, works])).toBe(true);
  });

  it('is stuck when its resource was lent to a stuck run, even if the owner can end', () => {
    const owner = holder('owner', ['x']);
    const gone = holder('gone', [], owner);
    const orphan = holder('orphan', [], gone);
    lend('x', owner, orphan);
    const b = holder('b', ['y']);
    const waiters = [waiting('w', b, 'x'), waiting('v', orphan, 'y')];
    expect(isStuck('v', waiters, [owner, orphan, b])).toBe(true);
    expect(isStuck('w', [waiting('w', b, 'x')], [owner, orphan, b])).toBe(false);
  });
});
