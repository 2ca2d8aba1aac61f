import { seenText } from './measured.mjs';
import { claimsTable } from './performance-page.mjs';
import { tableText } from './tables.mjs';

/** What each scenario does, in the order of the page; the names are those of the files in bench. */
const scenarios = {
  history: {
    title: 'A long history',
    did: 'Two services, one with a thousand runs on record and one with many more, were asked the same things in turn, one at a time, over a connection that stayed open. Looking into the history is to cost about the same in both.',
  },
  prune: {
    title: 'A history that is over its limit',
    did: 'A service was started on a history with thousands of runs more than it may keep, with folders for the oldest of them. While it removed them, and for a while afterwards, three callers asked it for something again and again. What they took in the database is given back to the disk, but for 16 MiB that the next runs will need.',
  },
  busy: {
    title: 'Answers while Hob is busy',
    did: 'One caller asked for the health of a service every 20 ms: while nothing else happened, while two runs wrote to both of their streams as fast as they could, and while many callers followed the output of one run. A run wrote 200 MB, with and without callers who followed its output and never read a byte of it. A service was started on a home whose service was stopped, and on one whose service was killed.',
  },
  ends: {
    title: 'The end of a run',
    did: 'A caller waited for its run. The scripts started children and then exited, outlasted their timeout or were cancelled; others left odd files as their result. One run followed the other.',
  },
  'model-path': {
    title: 'Where a model lies',
    did: 'A service with forty models in each of three places was asked where one of them lies, by one caller on one connection. It looks at the folders each time, so that it notices at once when a model comes or goes.',
  },
  download: {
    title: 'A large download',
    did: 'A process gave out one large file, sent by the system itself so that it takes little of the processor. `curl -o` and Hob fetched it in turn into the same folder; Hob, beside that, computed and compared its hash, waited until it was on the disk, and laid it out as a cache of Hugging Face. What Hob needs of memory is not to depend on the size of the file.',
  },
  console: {
    title: 'The page of a run with very much output',
    did: 'A real browser showed the page of a run that had written 100,000 lines, some of them in colours and some to stderr, and went on writing; then that of one that gave every character a colour of its own. Meanwhile the lines were scrolled up and down and searched. What is counted is how long the page was busy at a stretch: less than 50 ms is not felt.',
  },
  cli: {
    title: 'The command',
    did: 'The command was started again and again, once to say its version and once to ask a running service for something small, in turn with a Node that does nothing.',
  },
};

/** docs/benchmarks.md: how long things take. */
export function benchmarksPage(data) {
  const lines = [
    '# Benchmarks',
    '',
    'How long things take, measured by `npm run bench` with real services on one machine. Other machines have other figures; what',
    'was measured side by side compares anywhere. The scenarios are in `bench`; how Hob does beside others is in',
    '[performance.md](performance.md).',
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
    ...(claims === undefined ? [] : ['', 'What is to hold:', '', ...tableText(claimsTable(claims))]),
  ];
}
