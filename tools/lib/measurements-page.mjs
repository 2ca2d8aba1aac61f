import { seenText } from './measured.mjs';
import { tableText } from './tables.mjs';

/** Titles in page order. The keys are file names in bench and in test/reliability. docs/method.md has a section with each title. */
export const benchmarkTitles = {
  history: 'A long history',
  prune: 'Pruning the history',
  busy: 'Response times under load',
  ends: 'The end of a run',
  triggers: '10,000 schedules',
  agents: 'The tools of agents',
  download: 'A large download',
  console: 'The page of a run with much output',
  cli: 'The command line',
};
export const reliabilityTitles = {
  'kill-service': 'The service is killed',
  triggers: 'Schedules fire on time',
  idempotency: 'Clients repeat requests',
  'kill-download': 'The service is killed during downloads',
  'kill-executor': 'The executor is killed',
  folders: 'Files arrive in folders',
  termination: 'Runs are ended',
  flood: 'Unlimited output',
  bytes: 'Arbitrary output',
  results: 'Hostile results',
  exhaustion: 'The machine runs out of resources',
  gate: 'Runs wait for their turn',
  identity: 'Hob identifies the caller',
  events: 'Clients listen to events',
  follow: 'Clients follow output',
  door: 'Hostile requests',
  api: 'Calls of every kind',
  cpython: "CPython's own tests",
  numpy: "numpy's own tests",
  'hang-up': 'Callers disconnect',
};

/** Renders docs/measurements.md from the content of docs/performance.json, docs/benchmarks.json and docs/reliability.json. */
export function measurementsPage({ performance, benchmarks, reliability }) {
  return `${[
    '# Measurements',
    '',
    'How long a call takes, how much large amounts cost, and what Hob survives. [method.md](method.md) describes how each figure is measured, under the',
    'same title. Absolute times depend on the machine; ratios depend on it much less. p50 is the median; 1 in 100 values exceeds p99.',
    '',
    '## Calls, compared with another service',
    '',
    ...performanceText(performance),
    '',
    '## Large amounts and other operations',
    ...sections(benchmarkTitles, benchmarks, benchmarkText),
    '',
    '## Failures on purpose',
    ...sections(reliabilityTitles, reliability, reliabilityText),
    '',
    '<!-- Generated from docs/performance.json, docs/benchmarks.json and docs/reliability.json. Run `npm run bench` or `npm run torture` to measure again. -->',
  ].join('\n')}\n`;
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

function sections(titles, data, textOf) {
  return Object.entries(titles).flatMap(([name, title]) => [
    '',
    `### ${title}`,
    '',
    ...(data[name] === undefined ? ['Not measured yet.'] : textOf(data[name])),
  ]);
}

function performanceText({ performance }) {
  if (performance === undefined) return ['Not measured yet.'];
  const { tables, claims, scene, ...seen } = performance;
  return [
    `${seenText(seen)} ${sceneText(scene)}`,
    '',
    '```sh',
    scene.command,
    '```',
    ...limitsText(claims),
    ...tablesText(tables),
  ];
}

function benchmarkText({ runs, tables, claims, ...seen }) {
  const history = runs === undefined ? '' : ` The long history had ${runs.toLocaleString('en')} runs.`;
  return [
    `${seenText(seen)}${history}`,
    ...tablesText(tables),
    ...(claims === undefined ? [] : limitsText(claims)),
  ];
}

function reliabilityText({ share, figures, ...seen }) {
  const part = share === 1 ? '' : ` ${Math.round(share * 100)} % of the long version.`;
  const rows = figures.map(({ what, value, unit, bound }) => [
    what,
    `${value} ${unit}`.trim(),
    boundText(bound, unit),
  ]);
  return [`${seenText(seen)}${part}`, '', ...tableText({ columns: ['figure', 'measured', 'limit'], rows })];
}

function tablesText(tables) {
  return tables.flatMap((table) => ['', `${table.title}:`, '', ...tableText(table)]);
}

function limitsText(claims) {
  return ['', 'Limits:', '', ...tableText(claimsTable(claims))];
}

function boundText(bound, unit) {
  if (bound === undefined) return '';
  const text = 'exactly' in bound ? `${bound.exactly} ${unit}` : `at most ${bound.atMost} ${unit}`;
  return text.trim();
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
