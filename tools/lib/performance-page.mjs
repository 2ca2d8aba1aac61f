import { seenText } from './measured.mjs';
import { tableText } from './tables.mjs';

const how = [
  'Hob and [webhook](https://github.com/adnanh/webhook), a service in Go that runs commands on request, run the same scripts on the same machine',
  'with the same interpreter: the file that Hob finds, never a wrapper on PATH. Hob uses its default configuration, with the access rules, the history,',
  'supervision and a separate executor. A client in another process calls both services over keep-alive connections.',
  '',
  "- The services take turns in rounds, so that a disturbance of the machine affects both. At a person's pace they take turns call by call. Each",
  '  turn begins with a warm-up that does not count.',
  '- Each service has its own session, as in normal use: Linux distributes processor time by session first.',
  '- Before the first round, both services run the smallest script and then the measured one for some seconds, like a service that has run for days.',
  '- A turn is disturbed if a process that does nothing was delayed by more than 40 ms during it. A disturbed turn is repeated, a limited number of',
  '  times. If it cannot be repeated, it is discarded from the figures about the event loop.',
  '- Each script prints a line. Scripts in Python and Node first read their parameters from a file, and write a result.',
  '- *Floor* is a C program that starts the same command with `posix_spawn`, reads its output from a pipe and waits for it, without a service.',
  '- A *ratio* is Hob divided by webhook.',
  '- *Blocked* is the longest time that the event loop of the service was blocked, measured by the service itself during its turn. It includes the time',
  '  for which scripts, the client and other machines on the same host kept the processors busy.',
  '- Memory is the resident set, in millions of bytes. *Warm* is the memory of waiting interpreters, in addition to that of the executor.',
];

/** Renders docs/performance.md. */
export function performancePage({ performance }) {
  return `${[
    '# Performance',
    '',
    'How long a call takes, compared with another service and with the operating system itself. Absolute times depend on the machine; ratios',
    'depend on it much less. [benchmarks.md](benchmarks.md) has the cost of large histories and downloads.',
    '',
    ...(performance === undefined ? ['Not measured yet.'] : measuredText(performance)),
    '',
    '<!-- Generated from docs/performance.json. Run `npm run bench -- performance` to measure again. -->',
  ].join('\n')}\n`;
}

function measuredText({ tables, claims, scene, ...seen }) {
  return [
    `${seenText(seen)} ${sceneText(scene)}`,
    '',
    '```sh',
    scene.command,
    '```',
    '',
    '## Limits',
    '',
    ...tableText(claimsTable(claims)),
    '',
    '## Method',
    '',
    ...how,
    '',
    '## Results',
    ...tables.flatMap((table) => ['', `${table.title}:`, '', ...tableText(table)]),
  ];
}

function sceneText({ python, sh, webhook, load_before, stolen_percent, file_ms, client_cpu_ms, ...rest }) {
  const disk = file_ms === undefined ? '' : `; creating a file took at most ${file_ms} ms before each case`;
  const peer = webhook === null ? 'webhook was not available' : `webhook ${webhook}`;
  const stolen =
    typeof stolen_percent === 'number'
      ? ` Other machines on the same host took ${stolen_percent} % of the processor time.`
      : '';
  const again =
    typeof rest.turns === 'number'
      ? ` ${rest.turns} turns: ${rest.turns_again} repeated, ${rest.turns_left_out} discarded.`
      : '';
  return `Python ${python}, \`${sh}\`, ${peer}. The load average was ${load_before} at the start${disk}.${stolen}${again} The client used ${client_cpu_ms} ms of processor time per compared call.`;
}

/** Also printed at the end of a measurement. */
export function claimsTable(claims) {
  return {
    columns: ['figure', 'limit', 'measured', ''],
    rows: claims.map(({ what, bound, measured, isMet }) => [
      what,
      'atMost' in bound ? `at most ${bound.atMost}` : `at least ${bound.atLeast}`,
      measured,
      isMet === null ? 'not measured' : isMet ? 'met' : '**not met**',
    ]),
  };
}
