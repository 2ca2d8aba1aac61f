import { expect, it } from 'vitest';

import { Slots } from './slots.ts';

const never = new AbortController().signal;

it('admits as many callers as there are slots, and the others in order', async () => {
  const slots = new Slots(2);
  const entered: string[] = [];
  const enter = async (name: string) => {
    const leave = await slots.take(never);
    entered.push(name);
    return leave;
  };
  const [one, , three] = [enter('one'), enter('two'), enter('three'), enter('four')];
  const leave = await one;
  expect(entered).toEqual(['one', 'two']);
  leave();
  // A second release has no effect.
  leave();
  (await three)();
  await Promise.resolve();
  expect(entered).toEqual(['one', 'two', 'three', 'four']);
});

it('removes a caller that stops waiting', async () => {
  const slots = new Slots(1);
  const leave = await slots.take(never);
  const abort = new AbortController();
  const waiting = slots.take(abort.signal);
  abort.abort(new Error('no more'));
  await expect(waiting).rejects.toThrow('no more');
  await expect(slots.take(abort.signal)).rejects.toThrow('no more');
  leave();
  (await slots.take(never))();
});
