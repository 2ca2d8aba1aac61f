import { rounded } from '../support/samples.mjs';

const one = '1 caller';
const eight = '8 callers';
const many = '32 callers';
const person = '1, twice a second';

/** Limits on a quiet machine: description, name of the figure, bound. */
const claims = [
  ['Python, one caller: p50, relative to webhook', `python, ${one}: p50`, { atMost: 0.25 }],
  ['Python, 8 callers: calls per second, relative to webhook', `python, ${eight}: calls`, { atLeast: 3.5 }],
  [
    'Python with heavier imports, one caller: p50, relative to webhook',
    `python-heavy, ${one}: p50`,
    { atMost: 0.1 },
  ],
  [
    'Python with numpy and pandas declared, one caller: p50, relative to webhook',
    `numpy-pandas, ${one}: p50`,
    { atMost: 0.5 },
  ],
  ['Node, 8 callers: calls per second, relative to webhook', `node, ${eight}: calls`, { atLeast: 0.95 }],
  ["Python at a person's pace: p50, relative to webhook", `python, ${person}: p50`, { atMost: 0.2 }],
  ["Node at a person's pace: p50, relative to webhook", `node, ${person}: p50`, { atMost: 0.15 }],
  ['sh, one caller: p50, relative to webhook', `sh, ${one}: p50`, { atMost: 2 }],
  ['sh, 8 callers: calls per second, relative to webhook', `sh, ${eight}: calls`, { atLeast: 0.5 }],
  ['sh, 32 callers: calls per second, relative to webhook', `sh, ${many}: calls`, { atLeast: 0.5 }],
  ['CPU time of the service per call of sh, ms', 'steps: service', { atMost: 0.9 }],
  ['CPU time of the executor per call of sh, ms', 'steps: executor', { atMost: 0.5 }],
  ['link: additional time compared with a call of the same script, ms', 'link: over a call', { atMost: 2 }],
  ['link: additional time compared with its process, ms', 'link: over its process', { atMost: 2 }],
  ['model path: p50, ms', 'model path: p50', { atMost: 1 }],
  ['asynchronous runs accepted per second, on the disk', 'accept: calls', { atLeast: 1000 }],
  ['asynchronous runs accepted and ended per second, 32 callers', 'accept: ended', { atLeast: 500 }],
  ['10 MB of output in the response: p50, relative to webhook', 'output: p50', { atMost: 1.6 }],
  [
    'start until the service listens, 1 script: p50, relative to `node -e 0`',
    'start: 1 script',
    { atMost: 5 },
  ],
  ['start until the service listens, 2,000 scripts: p50, ms', 'start: 2,000 scripts', { atMost: 1500 }],
  ['memory of the idle service, MB', 'memory: service', { atMost: 90 }],
  ['memory of the idle executor, MB', 'memory: executor', { atMost: 55 }],
  ['memory growth of the service over 10,000 runs, MB', 'memory: service grown', { atMost: 15 }],
  ['memory growth of the executor over 10,000 runs, MB', 'memory: executor grown', { atMost: 15 }],
  ['longest block of the event loop of the service, ms', 'blocked', { atMost: 100 }],
];

/** Compares figures with their limits. A limit without a figure is neither met nor missed. */
export function judge(figures) {
  return claims.map(([what, name, bound]) => {
    const value = figures[name];
    const isMet = value === undefined ? null : holds(value, bound);
    return { what, bound, measured: value === undefined ? null : rounded(value), isMet };
  });
}

/** Compares the value before rounding, so that a value just over its bound fails. */
function holds(value, { atMost = Infinity, atLeast = -Infinity }) {
  return value <= atMost && value >= atLeast;
}
