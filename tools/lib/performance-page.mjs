import { seenText } from './measured.mjs';
import { tableText } from './tables.mjs';

const how = [
  'Hob and [webhook](https://github.com/adnanh/webhook), a service in Go that runs commands when it is called, ran the same scripts on the same',
  'machine with the same interpreter: the file that Hob finds, never something on PATH that only starts the real one. Hob had everything',
  'on that it has by default: the door, the history, supervision, a process of its own for the scripts. They had their turns in rounds,',
  "each with a warm-up that does not count, so that what disturbs the machine disturbs both; at a person's pace, call by call. The calls came",
  'from another process, over connections that stay open. Each service had a session of its own, as where people use it: Linux shares the',
  'processors out by session first. Before the first round both were called for some seconds with the smallest script and for some with the',
  'one that is measured: a service runs for days. A turn during which even a process that does nothing was held up for more than 40 ms shows what',
  'something else did to the machine. It was taken again, whoever had it, if that could be done and was not done too often already; otherwise it',
  'was left out where it is about the event loop.',
  'Each script prints a line; those of Python and Node read their parameters from a file before, and write a result.',
  '*Floor* is a C program that starts the same command with `posix_spawn`, reads its output from a pipe and waits for it: no service at all.',
  'A *ratio* is that of Hob to webhook. The event loop is watched by the service itself while it has its turn; the longest time contains what the',
  'scripts, the caller and other machines on the same host took of the processors meanwhile. Memory is the resident set, in millions of bytes;',
  '*warm* is what interpreters that wait for a run take beside that.',
];

/** docs/performance.md: how fast Hob is, beside others and beside what is to hold. */
export function performancePage({ performance }) {
  return `${[
    '# Performance',
    '',
    'How long a call takes, measured side by side. Figures depend on the machine; ratios do so much less.',
    '[benchmarks.md](benchmarks.md) has what large histories and downloads cost.',
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
    '## How it was measured',
    '',
    ...how,
    '',
    '## What is to hold',
    '',
    ...tableText(claimsTable(claims)),
    '',
    '## What was seen',
    ...tables.flatMap((table) => ['', `${table.title}:`, '', ...tableText(table)]),
  ];
}

function sceneText({ python, sh, webhook, load_before, stolen_percent, file_ms, client_cpu_ms, ...rest }) {
  const disk = file_ms === undefined ? '' : `; making a file took ${file_ms} ms at most before a case`;
  const peer = webhook === null ? 'webhook could not be had' : `webhook ${webhook}`;
  const stolen =
    typeof stolen_percent === 'number'
      ? ` Of the time of its processors, ${stolen_percent} % went to other machines on the same host.`
      : '';
  const again =
    typeof rest.turns === 'number'
      ? ` Of ${rest.turns} turns ${rest.turns_again} were taken again, and ${rest.turns_left_out} left out.`
      : '';
  return `Python ${python}, \`${sh}\`, ${peer}. The load of the machine was ${load_before} when it began${disk}.${stolen}${again} Calling itself took ${client_cpu_ms} ms of the processor for each call that is compared.`;
}

/** Also shown at the end of a measurement. */
export function claimsTable(claims) {
  return {
    columns: ['what', 'bound', 'measured', ''],
    rows: claims.map(({ what, bound, measured, isMet }) => [
      what,
      'atMost' in bound ? `at most ${bound.atMost}` : `at least ${bound.atLeast}`,
      measured,
      isMet === null ? 'not measured' : isMet ? 'met' : '**not met**',
    ]),
  };
}
