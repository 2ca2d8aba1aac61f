import { expect, it, onTestFinished } from 'vitest';

import { openDatabase } from './database.ts';
import { SqliteAgentChoiceStore } from './sqlite-agent-choice-store.ts';

function openStore() {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  return { store: new SqliteAgentChoiceStore(database), again: () => new SqliteAgentChoiceStore(database) };
}

it('keeps each choice, with the values that the user left to the rule', () => {
  const { store, again } = openStore();
  const choices = [
    { scriptId: 'a', isOffered: true, isAsked: null },
    { scriptId: 'b', isOffered: null, isAsked: false },
    { scriptId: 'c', isOffered: false, isAsked: true },
  ];
  for (const choice of choices) store.put(choice);
  expect(again().all()).toEqual(choices);
});

it('replaces the choice for a script, and removes one that leaves all to the rule', () => {
  const { store } = openStore();
  store.put({ scriptId: 'a', isOffered: true, isAsked: null });
  store.put({ scriptId: 'a', isOffered: false, isAsked: true });
  expect(store.all()).toEqual([{ scriptId: 'a', isOffered: false, isAsked: true }]);
  store.put({ scriptId: 'a', isOffered: null, isAsked: null });
  expect(store.all()).toEqual([]);
});
