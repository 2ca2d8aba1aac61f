import { rounded } from '../support/samples.mjs';

const one = '1 caller';
const eight = '8 callers';
const person = '1, twice a second';

/** What is to hold, on a quiet machine: each with the figure that shows it, and a bound. */
const claims = [
  ['Python, one caller: p50, times that of webhook', `python, ${one}: p50`, { atMost: 0.25 }],
  ['Python, 8 callers: calls in a second, times those of webhook', `python, ${eight}: calls`, { atLeast: 3 }],
  [
    'Python with heavier imports, one caller: p50, times that of webhook',
    `python-heavy, ${one}: p50`,
    { atMost: 0.1 },
  ],
  ["Python at a person's pace: p50, times that of webhook", `python, ${person}: p50`, { atMost: 0.2 }],
  ["Node at a person's pace: p50, times that of webhook", `node, ${person}: p50`, { atMost: 0.15 }],
  ['sh, one caller: p50, times that of webhook', `sh, ${one}: p50`, { atMost: 3.5 }],
  ['sh, 8 callers: calls in a second, times those of webhook', `sh, ${eight}: calls`, { atLeast: 0.25 }],
  ['how much longer a link takes than a call of the same script, ms', 'link: over a call', { atMost: 2 }],
  ['what a link adds to the time that its process takes, ms', 'link: over its process', { atMost: 2 }],
  ['where a model lies: p50, ms', 'model path: p50', { atMost: 1 }],
  ['asynchronous runs taken on in a second, on the disk', 'accept: calls', { atLeast: 1000 }],
  ['memory of the idle service, MB', 'memory: service', { atMost: 110 }],
  ['memory of the idle executor, MB', 'memory: executor', { atMost: 60 }],
  ['growth of the service over 10,000 runs, MB', 'memory: service grown', { atMost: 15 }],
  ['growth of the executor over 10,000 runs, MB', 'memory: executor grown', { atMost: 15 }],
  ['longest time that the event loop of the service was blocked, ms', 'blocked', { atMost: 100 }],
];

/** Compares figures with what is to hold. One that was not measured is neither met nor missed. */
export function judge(figures) {
  return claims.map(([what, name, bound]) => {
    const value = figures[name];
    const isMet = value === undefined ? null : holds(value, bound);
    return { what, bound, measured: value === undefined ? null : rounded(value), isMet };
  });
}

/** Judged before rounding: a figure that is just over its bound is over it. */
function holds(value, { atMost = Infinity, atLeast = -Infinity }) {
  return value <= atMost && value >= atLeast;
}
