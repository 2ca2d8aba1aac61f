import { seenText } from './measured.mjs';
import { claimsTable } from './performance-page.mjs';
import { tableText } from './tables.mjs';

/** Description of each scenario, in page order. The keys are file names in bench. */
const scenarios = {
  history: {
    title: 'A long history',
    did: 'A client sends the same requests in turn to two services, one with a thousand runs on record and one with many more: one request at a time, over one keep-alive connection. A request should take about the same time in both.',
  },
  prune: {
    title: 'Pruning the history',
    did: 'A service starts on a history with thousands of runs more than its limit, with folders for the oldest of them. Three clients send requests in a loop while the service removes these runs, and for a while afterwards. The service returns the freed space of the database to the disk, except for 16 MiB that it keeps for the next runs.',
  },
  busy: {
    title: 'Response times under load',
    did: 'A client requests the health of a service every 20 ms: while the service is idle, while two runs write to both of their streams as fast as they can, and while many clients follow the output of one run. A run writes 200 MB, with and without followers that never read. A service starts on the home of a stopped service, and on the home of a killed one.',
  },
  ends: {
    title: 'The end of a run',
    did: 'A client waits for its run, one run after the other. Scripts start children and then exit, exceed their timeout or are cancelled. Other scripts leave unusual files as their result.',
  },
  'model-path': {
    title: 'Finding a model',
    did: 'A client requests the path of one model from a service with forty models in each of three places, over one connection. The service checks the folders for each request, so that it notices new and removed models at once.',
  },
  download: {
    title: 'A large download',
    did: 'A server sends one large file with `sendfile`, which uses little processor time. `curl -o` and Hob download it in turn into the same folder. Hob also computes and compares the hash, waits until the file is on the disk, and stores it in the layout of the Hugging Face cache. The memory that Hob uses should not depend on the size of the file.',
  },
  console: {
    title: 'The page of a run with much output',
    did: 'A browser shows the page of a run that has written 100,000 lines, some in colour and some to stderr, and continues to write. Then it shows a run that gives every character its own colour. Meanwhile the test scrolls and searches. It measures tasks that block the page: a user does not notice less than 50 ms.',
  },
  cli: {
    title: 'The command line',
    did: 'The test starts `hob` repeatedly, once to print its version and once to send a small request to a running service, in turn with a Node process that does nothing.',
  },
};

/** Renders docs/benchmarks.md. */
export function benchmarksPage(data) {
  const lines = [
    '# Benchmarks',
    '',
    'How long common operations take, measured by `npm run bench` with real services on one machine. Absolute times depend on the machine; ratios',
    'depend on it much less. p50 is the median; 1 in 100 values exceeds p99. The scenarios are in `bench`. [performance.md](performance.md)',
    'compares Hob with another service.',
  ];
  for (const [name, { title, did }] of Object.entries(scenarios))
    lines.push('', `## ${title}`, '', did, '', ...seenOf(data[name]));
  lines.push('', '<!-- Generated from docs/benchmarks.json. Run `npm run bench` to measure again. -->');
  return `${lines.join('\n')}\n`;
}

function seenOf(seen) {
  if (seen === undefined) return ['Not measured yet.'];
  const { runs, tables, claims } = seen;
  const history = runs === undefined ? '' : ` The long history had ${runs.toLocaleString('en')} runs.`;
  return [
    `${seenText(seen)}${history}`,
    ...tables.flatMap((table) => ['', `${table.title}:`, '', ...tableText(table)]),
    ...(claims === undefined ? [] : ['', 'Limits:', '', ...tableText(claimsTable(claims))]),
  ];
}
