import { seenText } from './measured.mjs';

/** What each scenario does, in the order of the page; the names are those of the files in test/reliability. */
const scenarios = {
  'kill-service': {
    title: 'The service is killed',
    did: 'Four clients kept posting asynchronous runs while the service was killed with SIGKILL at random moments and started again on the same home. Each script entered itself in a ledger when it began, and exited with a code that it was told.',
    limits:
      'A request whose answer was cut off may or may not have been accepted; if it was, the run has its one end like any other. A power cut was not tried.',
  },
  idempotency: {
    title: 'Callers come back',
    did: 'Clients sent each request with an `Idempotency-Key`, several at once, some of them waiting for the outcome and some not, and sent it again until they had an answer, while the service was killed with SIGKILL at random moments and started again on the same home. Each script entered itself in a ledger when it began.',
    limits:
      'A run that was refused before it began (no free slot in time, the service stopping in good order) gives its key back, and stays on record as a run that never began. A power cut was not tried.',
  },
  'kill-download': {
    title: 'The service is killed while it downloads',
    did: 'A service downloaded models from a stand-in for both hubs. It was killed with SIGKILL five times for each, at random moments, and asked again after its next start; whenever it said that the model was there, every byte of it was compared.',
    limits: 'What had come but was not yet written is sent again. A power cut was not tried.',
  },
  'kill-executor': {
    title: 'The executor is killed',
    did: 'The process that starts the scripts was killed with SIGKILL at random moments while ten runs at a time were under way, half of them short and half of them endless.',
    limits:
      'Nobody can know the exit code of a script whose parent was killed: such a run ends as `lost`, and its processes are stopped.',
  },
  termination: {
    title: 'Runs are ended',
    did: 'Scripts started a background child, a child under nohup, one in a session of its own, a double fork, one that ignores TERM, one that is stopped, a hundred at once, and one that keeps inherited handles open. Each of them was put through a plain exit, an exit with `survivors = "stop"`, a timeout, a cancel, and a cancel of the run that had linked it; the grace was 1 s.',
    limits:
      'What a script leaves running when it ends by itself is left alone and counted, unless its manifest says otherwise. A process that clears its environment, leaves its session and loses its parent can be told from others by a cgroup only; the table says how that went here.',
  },
  flood: {
    title: 'Output without end',
    did: 'Two runs at once wrote to both of their streams as fast as they could, while the health of the service was asked for every 20 ms.',
    limits:
      'Of what is over `output_log_mib` the middle is dropped; it is counted and marked, and cannot be had again.',
  },
  bytes: {
    title: 'Output of any kind',
    did: 'Scripts wrote random bytes, UTF-8, GBK, UTF-16, lines of a megabyte, NUL bytes and broken UTF-8, cut anywhere and with pauses in between.',
    limits:
      'Bytes that are neither UTF-8 nor GB18030 are shown with replacement characters; the log files have them as they were.',
  },
  results: {
    title: 'Hostile results',
    did: 'Scripts left everything but a plain result file: pipes, links, devices, sparse gigabytes, documents a million levels deep, names that poison prototypes, files that grow while they are read.',
    limits: 'A number that is too large for JavaScript, such as 1e400, makes a result invalid.',
  },
  exhaustion: {
    title: 'The machine runs out',
    did: 'Forty callers at once met a service, or an executor, with 64 file handles, and one whose user could have no more than 50 processes; a disk of 16 MiB filled up, and a home became read-only, while scripts ran.',
    limits:
      'A caller for whose connection there is no handle is cut off. The home became read-only for what was opened from then on; files that were open, such as the database, could still be written. Memory was not used up.',
  },
  gate: {
    title: 'Waiting for a turn',
    did: 'Chains of eight links ran with one run at a time, scripts linked themselves, chains wanted the locks that the others held, and hundreds of runs came at once.',
    limits: 'A link that would close a circle of waits is refused with 503: its script has to try again.',
  },
  identity: {
    title: 'Who is calling',
    did: 'Scripts linked others, 32 at once; each child was compared with the run that it was put down to. Tokens were made up, and tokens of ended runs were used again.',
    limits: 'A script that calls the bare address of the service is traced to its run on Linux only.',
  },
  events: {
    title: 'Listening to events',
    did: 'One client listened to the events of all runs, and resumed each time with the last id that it had, while four others kept posting runs and the service was killed with SIGKILL at random moments. Then clients connected and read nothing, while events came by the ten thousand.',
    limits:
      'Events are kept for as long as they are among the newest 10,000; a client that was away for longer is told so. A power cut, which may take the last events with it, was not tried.',
  },
  follow: {
    title: 'Output is followed',
    did: 'A follower came late to the output of a run, hung up at random points and took up again by the number of bytes it had. Many followed one run at once. Others opened the output and never read a byte of it.',
    limits:
      'A follower that falls behind by more than half of `output_log_mib` misses what was written over meanwhile, and is told so.',
  },
  door: {
    title: 'Hostile bytes at the door',
    did: 'Connections sent requests put together at random: methods, targets and versions of every kind, Host, Origin and Sec-Fetch-Site missing, doubled, folded or misspelt, lengths and chunks that contradict each other, bare line ends, NUL bytes, headers without end, requests behind requests, requests cut off or damaged. What came back was compared with what a second reading of the bytes, written from the rules of the door alone, says must come. The same bytes were sent to doors with a hole each, and every hole was found.',
    limits:
      "Whether bytes that break the grammar in small ways are a request at all is up to Node's parser; the table says how often. When such bytes stand behind a sound request, the answer that they are none may come in place of the answer to that request.",
  },
  api: {
    title: 'Calls of every kind',
    did: 'Calls were made up from the OpenAPI document, for every operation in it: some as their schemas say, some at the limits of these, and many hostile in a path, a query, a header or a body: wrong types, 10,000 levels, lone surrogates, broken UTF-8, doubled and poisonous keys, numbers too large, bad escapes, paths that climb, megabytes. Every answer was compared with the document, and its error code with the list of errors. Memory was compared after its garbage was thrown away.',
    limits:
      'Calls were sent by one program that speaks proper HTTP; bytes that are no request at all are another matter. Answers of 503 for lack of room, which are documented, were kept away by enough of it.',
  },
  cpython: {
    title: "CPython's own tests",
    did: "Modules of CPython's own test suite, in Debian's package of it, ran as Python scripts with `/usr/bin/python3`: each one cold, with `warm = false` in its manifest, and warm, in an interpreter that waited for a run. The outcome of every test was compared: passed, failed, skipped and why. The exit codes of the runs were compared, too. A module with a difference ran up to two more times, cold and warm, with nothing else on the service; a test counts as different if it differed each time.",
    limits:
      'Tests that need the network, gigabytes of disk or minutes of processor time are skipped, cold and warm. Modules that take longer than a minute run in part, or not at all.',
  },
  'hang-up': {
    title: 'Callers hang up',
    did: 'Synchronous callers tore their connection down at random moments. Results, outputs and requests of 50 MB were sent, each over its limit.',
    limits: 'An envelope that is over its limit is not kept.',
  },
};

/** docs/reliability.md: what was done to Hob, and what was seen. */
export function reliabilityPage(data) {
  const lines = [
    '# Reliability',
    '',
    'What was done to Hob on purpose, and what came of it: real processes, real signals, real disks. A short version of every',
    'scenario runs with `npm test`; the figures are those of the long version, `npm run torture`, which fails when a bound does',
    'not hold. The scenarios are in `test/reliability`. They say what must be right on every machine, however busy it is; how long things',
    'take is in [benchmarks.md](benchmarks.md).',
  ];
  for (const [name, { title, did, limits }] of Object.entries(scenarios)) {
    lines.push('', `## ${title}`, '', did, '', `Not contained: ${limits}`, '', ...figuresOf(data[name]));
  }
  lines.push('', '<!-- Generated from docs/reliability.json. Run `npm run torture` to measure again. -->');
  return `${lines.join('\n')}\n`;
}

function figuresOf(seen) {
  if (seen === undefined) return ['Not measured yet.'];
  const { share, figures } = seen;
  const part = share === 1 ? '' : ` ${Math.round(share * 100)} % of the long version.`;
  const rows = figures.map(
    ({ what, value, unit, bound }) =>
      `| ${what} | ${`${value} ${unit}`.trim()} | ${boundText(bound, unit)} |`,
  );
  return [`${seenText(seen)}${part}`, '', '| what | seen | bound |', '|---|---|---|', ...rows];
}

function boundText(bound, unit) {
  if (bound === undefined) return '';
  const text = 'exactly' in bound ? `${bound.exactly} ${unit}` : `at most ${bound.atMost} ${unit}`;
  return text.trim();
}
