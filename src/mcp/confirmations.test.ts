import { expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import { Feed } from '../shared/feed.ts';
import type { JsonObject } from '../shared/json.ts';
import type { AgentChoice } from './choices.ts';
import {
  Confirmations,
  type Consent,
  mostQuestions,
  mostQuestionsOfClient,
  type Question,
} from './confirmations.ts';
import type { AgentScript } from './offers.ts';

const minuteMs = 60_000;
const unchosen = { isOffered: null, isAsked: null };

function agentScript(id: string, name = 'Clean up'): AgentScript {
  return {
    script: someScript({ id, name }),
    toolName: 'clean-up',
    isPackaged: true,
    isOffered: true,
    isAsked: true,
    choice: { scriptId: id, ...unchosen },
  };
}

const cleanUp = agentScript('one');

/** Questions with a clock that stands still until the test moves it. */
function setUp() {
  const timers = new Set<{ atMs: number; callback: () => void }>();
  const changed = new Feed<void>();
  const choices = new Map<string, AgentChoice>();
  const outdated = new Set<AgentScript>();
  let nowMs = 0;
  const confirmations = new Confirmations({
    offers: {
      changed,
      choiceOf: (scriptId) => choices.get(scriptId) ?? { scriptId, ...unchosen },
      choose(choice) {
        choices.set(choice.scriptId, choice);
        changed.publish();
      },
      isCurrent: (asked) => !outdated.has(asked) && choices.get(asked.script.id)?.isOffered !== false,
    },
    clock: { now: () => new Date(nowMs) },
    after(delayMs, callback) {
      const timer = { atMs: nowMs + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  });
  const opened: Question[] = [];
  confirmations.opened.subscribe((question) => opened.push(question));
  const ask = (args: JsonObject = { days: 3 }, { script = cleanUp, client = 'claude-code' } = {}) => {
    const waiting = new AbortController();
    const consent = confirmations.ask({ asked: script, client, args }, waiting.signal);
    return { consent, leave: () => waiting.abort() };
  };
  return {
    confirmations,
    choices,
    /** A script that changes, or is no longer offered. */
    change(asked: AgentScript) {
      outdated.add(asked);
      changed.publish();
    },
    changed,
    opened,
    timers,
    ask,
    /** Answers the oldest open question. */
    answer: (answer: 'allow' | 'always' | 'refuse') =>
      confirmations.answer(confirmations.questions[0]?.id ?? 'none', answer),
    sleep: (ms: number) => {
      nowMs += ms;
    },
    pass(ms: number) {
      nowMs += ms;
      for (const timer of [...timers]) {
        if (timer.atMs > nowMs || !timers.delete(timer)) continue;
        timer.callback();
      }
    },
  };
}

it.each<['allow' | 'refuse', Consent]>([
  ['allow', 'allowed'],
  ['refuse', 'refused'],
])('the answer "%s" reaches the call that waits', async (answer, expected) => {
  const scene = setUp();
  const call = scene.ask();
  expect(scene.confirmations.questions).toMatchObject([
    {
      scriptId: 'one',
      scriptName: 'Clean up',
      toolName: 'clean-up',
      client: 'claude-code',
      args: '{\n  "days": 3\n}',
      askedAt: new Date(0),
      expiresAt: new Date(10 * minuteMs),
    },
  ]);
  expect(scene.answer(answer)).toBe(true);
  expect(await call.consent).toBe(expected);
  expect(scene.confirmations.questions).toEqual([]);
  expect(scene.choices.size).toBe(0);
  // The answer was for one call.
  scene.ask();
  expect(scene.confirmations.questions).toHaveLength(1);
});

it('"always" also stores that the user is not asked again, and keeps whether the script is offered', async () => {
  const scene = setUp();
  scene.choices.set('one', { scriptId: 'one', isOffered: true, isAsked: null });
  const call = scene.ask();
  scene.answer('always');
  expect(await call.consent).toBe('allowed');
  expect(scene.choices.get('one')).toEqual({ scriptId: 'one', isOffered: true, isAsked: false });
});

it('the same call joins the open question, and a different one opens another', () => {
  const { ask, confirmations, opened } = setUp();
  ask({ days: 3, path: ['a'] });
  ask({ path: ['a'], days: 3 });
  expect(confirmations.questions).toHaveLength(1);
  ask({ days: 4, path: ['a'] });
  ask({ days: 3, path: ['a'] }, { client: 'codex' });
  ask({ days: 3, path: ['a'] }, { script: agentScript('two') });
  expect(confirmations.questions).toHaveLength(4);
  expect(opened).toHaveLength(4);
});

it('allows one of several same calls that wait, and asks again for the next', async () => {
  const scene = setUp();
  const first = scene.ask();
  const second = scene.ask();
  scene.answer('allow');
  expect(await first.consent).toBe('allowed');
  expect(scene.confirmations.questions).toHaveLength(1);
  expect(scene.opened).toHaveLength(2);
  scene.answer('allow');
  expect(await second.consent).toBe('allowed');
  expect(scene.timers.size).toBe(0);
});

it.each<['always' | 'refuse', Consent]>([
  ['always', 'allowed'],
  ['refuse', 'refused'],
])('the answer "%s" is for all same calls that wait', async (answer, expected) => {
  const scene = setUp();
  const calls = [scene.ask(), scene.ask()];
  scene.answer(answer);
  expect(await Promise.all(calls.map(({ consent }) => consent))).toEqual([expected, expected]);
  expect(scene.confirmations.questions).toEqual([]);
});

it.each<['allow' | 'refuse', Consent]>([
  ['allow', 'allowed'],
  ['refuse', 'refused'],
])('the next same call receives the answer "%s" that came too late, once', async (answer, expected) => {
  const scene = setUp();
  const first = scene.ask();
  first.leave();
  expect(await first.consent).toBe('unanswered');
  expect(scene.confirmations.questions).toHaveLength(1);
  scene.answer(answer);
  expect(scene.confirmations.questions).toEqual([]);
  scene.pass(9 * minuteMs);
  scene.ask({ days: 30 });
  expect(await scene.ask().consent).toBe(expected);
  scene.ask();
  expect(scene.confirmations.questions).toHaveLength(2);
});

it('a question and its late answer expire after ten minutes', async () => {
  const scene = setUp();
  const waiting = scene.ask({ days: 1 });
  const left = scene.ask({ days: 2 });
  left.leave();
  await left.consent;
  scene.confirmations.answer(scene.confirmations.questions[1]?.id ?? '', 'allow');
  scene.pass(10 * minuteMs);
  expect(await waiting.consent).toBe('unanswered');
  expect(scene.confirmations.questions).toEqual([]);
  scene.ask({ days: 2 });
  expect(scene.confirmations.questions).toHaveLength(1);
});

it('a question expires although its timer stood still while the machine slept', () => {
  const scene = setUp();
  scene.ask();
  const [question] = scene.confirmations.questions;
  scene.sleep(11 * minuteMs);
  expect(scene.confirmations.questions).toEqual([]);
  expect(scene.confirmations.answer(question?.id ?? '', 'allow')).toBe(false);
});

it('refuses an answer to a question that is not open', async () => {
  const scene = setUp();
  const call = scene.ask();
  const [question] = scene.confirmations.questions;
  scene.answer('refuse');
  await call.consent;
  expect(scene.confirmations.answer(question?.id ?? '', 'always')).toBe(false);
  expect(scene.choices.size).toBe(0);
});

it('asks at most 20 questions at once', async () => {
  const scene = setUp();
  const clients = ['a', 'b', 'c', 'd'];
  for (let days = 0; days < mostQuestions; days++)
    scene.ask({ days }, { client: clients[days % clients.length] ?? '' });
  expect(scene.confirmations.questions).toHaveLength(mostQuestions);
  expect(await scene.ask({ days: 99 }, { client: 'e' }).consent).toBe('too-many');
  // It joins one that is open.
  scene.ask({ days: 0 }, { client: 'a' });
  scene.answer('refuse');
  scene.ask({ days: 99 }, { client: 'e' });
  expect(scene.confirmations.questions).toHaveLength(mostQuestions);
});

it('asks at most 5 questions of one client at once, so that others can ask', async () => {
  const scene = setUp();
  for (let days = 0; days < mostQuestionsOfClient; days++) scene.ask({ days });
  expect(await scene.ask({ days: 99 }).consent).toBe('too-many');
  // The user reads both names as the same one.
  expect(await scene.ask({ days: 99 }, { client: ' claude-code ' }).consent).toBe('too-many');
  scene.ask({ days: 99 }, { client: 'codex' });
  expect(scene.confirmations.questions).toHaveLength(mostQuestionsOfClient + 1);
  scene.answer('refuse');
  scene.ask({ days: 99 });
  expect(scene.confirmations.questions).toHaveLength(mostQuestionsOfClient + 1);
});

it('a user who withholds the script refuses its calls', async () => {
  const scene = setUp();
  const call = scene.ask();
  const other = scene.ask({}, { script: agentScript('two') });
  scene.choices.set('one', { scriptId: 'one', isOffered: false, isAsked: null });
  scene.changed.publish();
  expect(await call.consent).toBe('refused');
  expect(scene.confirmations.questions).toMatchObject([{ scriptId: 'two' }]);
  scene.confirmations.close();
  expect(await other.consent).toBe('unanswered');
  expect(scene.timers.size).toBe(0);
});

it('a question ends when its script changes or is no longer offered', async () => {
  const scene = setUp();
  const call = scene.ask();
  const two = agentScript('two');
  scene.ask({}, { script: two });
  const [question] = scene.confirmations.questions;
  scene.change(cleanUp);
  expect(await call.consent).toBe('changed');
  expect(scene.confirmations.questions).toMatchObject([{ scriptId: 'two' }]);
  expect(scene.confirmations.answer(question?.id ?? '', 'allow')).toBe(false);
});

it('a late answer is not for the changed script', async () => {
  const scene = setUp();
  const call = scene.ask();
  call.leave();
  await call.consent;
  scene.answer('allow');
  scene.change(cleanUp);
  scene.ask({ days: 3 }, { script: agentScript('one', 'Clean up all') });
  expect(scene.confirmations.questions).toMatchObject([{ scriptName: 'Clean up all' }]);
});

it('a call of a changed script does not join the question of the old one', () => {
  const scene = setUp();
  scene.ask();
  scene.ask({ days: 3 }, { script: agentScript('one', 'Clean up all') });
  expect(scene.confirmations.questions).toHaveLength(2);
});

it('a call that was cancelled before opens no question', async () => {
  const scene = setUp();
  const consent = scene.confirmations.ask({ asked: cleanUp, client: 'x', args: {} }, AbortSignal.abort());
  expect(await consent).toBe('unanswered');
  expect(scene.opened).toEqual([]);
});

it('publishes each change of the open questions', async () => {
  const scene = setUp();
  const counts: number[] = [];
  scene.confirmations.changed.subscribe(() => counts.push(scene.confirmations.questions.length));
  scene.ask();
  scene.ask({ days: 4 });
  scene.answer('allow');
  scene.pass(10 * minuteMs);
  expect(counts).toEqual([1, 2, 1, 0]);
});
