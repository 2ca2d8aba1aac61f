import { seenText } from './measured.mjs';

/** The text before the measurements. */
const guarantees = `## What Hob guarantees

- A run is on record before Hob accepts it.
- A run has exactly one end with one cause. If several causes compete, the first one counts.
- A run never starts twice.

For an asynchronous run this also holds after a power cut: Hob writes the run to the disk before it responds, and its start before the script
begins. An end that Hob recorded in the last moments before a power cut can be lost. The run is then \`lost\`, even if a client saw its end.

## Two processes

The *service* answers HTTP and keeps the records. The *executor* starts the scripts, supervises them, stops them and writes their output to
files. It also keeps the [warm interpreters](warm.md). The executor outlives the service: if the service is stopped, killed or upgraded,
scripts continue, and the next service asks the executor how they ended.

The executor exits when it has nothing to run and no process that a script left behind holds its output open: immediately if the service
stopped in order, otherwise after a minute.

## When a process dies

| Event | Effect on runs |
|---|---|
| The service is killed | Running scripts continue, and Hob records their true exit codes. Queued asynchronous runs start with the next service. Queued synchronous runs end as \`lost\`, because their callers are gone; with an [idempotency key](interface.md#idempotency-keys) they start, because their callers can come back |
| The executor is killed | Hob starts another one at once. On Linux it stops the scripts that the killed one left running; on other systems they continue unsupervised. These runs end as \`lost\`, with the envelope that they had written, if any. Ends that the killed executor had noted are kept |
| The executor is stopped (SIGSTOP) or hangs | Synchronous calls get 503, other runs stay queued: see [below](#an-executor-that-does-not-answer). When the executor continues, Hob records every run with its true end |
| Both are killed, or the machine stops | The same, at the next start |
| Hob is upgraded | The old executor finishes its runs, a new one takes new runs |
| The disk is full, or file handles or processes run out | New runs get 503. Running scripts continue. Hob records an end later if it cannot write it now |

## An executor that does not answer

The service sends the executor a message every 2 seconds. After three messages without an answer, 6 to 8 seconds after the last
answer, the executor counts as silent. A pause of the service itself or of the whole machine does not count. While the executor is silent:

- \`executor\` in [\`GET /api/health\`](interface.md#get-apihealth) has the state \`silent\`, \`hob_executor_up\` is 0, and the log has a line.
  \`hob doctor\` says what to do: \`kill -CONT\` with the process id if the executor was stopped, \`kill -9\` if it hangs.
- New synchronous calls, and those that wait for a slot, get 503 with \`executor-unavailable\` and \`Retry-After\`. They leave no
  run, or a run that ended without having started.
- Asynchronous calls are accepted, and their runs stay \`queued\`.
- Callers of runs that the executor already has keep waiting.

When the executor answers again, the log has a second line, the queued runs start and the others end. If a script exited by itself
in the meantime, Hob records its own exit code, even if its time limit has passed since or it was cancelled after its exit. A script that is
still alive is then stopped as \`timeout\` or \`cancelled\`. \`ended_at\` is the moment when the executor saw the end.

\`hob stop\` takes no longer than usual and names the executor that is left. \`hob stop --all\` says so if it could not stop the scripts.

## Which processes belong to a run

Hob must find all processes of a run to [stop](interface.md#how-a-run-is-stopped) it. \`containment\` in
[\`GET /api/health\`](interface.md#get-apihealth) says how this machine finds them:

| \`containment\` | System | How Hob finds processes |
|---|---|---|
| \`cgroup\` | Linux, if Hob may create a cgroup (version 2) below its own | all of the following, and the cgroup of the run |
| \`sweep\` | any other Linux | process group, session, the variable \`HOB_RUN_ID\` in the environment, ancestry |
| \`descent\` | macOS and other systems | process group and ancestry |
| \`taskkill\` | Windows | the process tree that Windows knows |

Hob does not find these processes:

- **With a cgroup:** a process that clears its environment, starts its own session and loses its parent, all within the first 10 to 40 ms of
  its run. The kernel needs this time to move a run into its cgroup, and Hob does not wait for it, because that would delay every run.
- **Without a cgroup, on Linux:** a process that does all three at any time, and a process that keeps forking and exiting faster than Hob can
  read the process table. Hob finds every process that stays alive and keeps one of these traces, or whose parent is alive when the run is stopped.
- **On Windows:** processes that a script left behind when it ended. \`survivors = "stop"\` has no effect there.
- **On every system:** a process that became another user, unless Hob runs as root.

## How this is tested

The rest of this page lists what the tests do to real processes, files and connections, and what they measured. \`npm test\` runs a short
version of every scenario in \`test/reliability\`. \`npm run torture\` runs the long version, writes these figures and fails if a limit is
exceeded. The scenarios check correctness on any machine, however busy it is; [benchmarks.md](benchmarks.md) has the timings.`;

/** Description of each scenario, in page order. The keys are file names in test/reliability. */
const scenarios = {
  'kill-service': {
    title: 'The service is killed',
    did: 'Four clients post asynchronous runs while the test kills the service with SIGKILL at random moments and restarts it on the same home. Each script appends its run id to a ledger file when it begins, and exits with the code in its parameters.',
    limits:
      'A request whose response was cut off may or may not have been accepted. If it was accepted, its run has one end like any other. Power cuts are not tested.',
  },
  idempotency: {
    title: 'Clients repeat requests',
    did: 'Clients send requests with an `Idempotency-Key`, several at once, synchronous and asynchronous, and repeat each request until they get a response. Meanwhile the test kills the service with SIGKILL at random moments and restarts it on the same home. Each script appends its run id to a ledger file when it begins.',
    limits:
      'A run that is refused before it begins (no free slot in time, service stopping) releases its key and stays on record as a run that never began. Power cuts are not tested.',
  },
  'kill-download': {
    title: 'The service is killed during downloads',
    did: 'A service downloads models from a simulation of both hubs. For each model the test kills the service with SIGKILL five times at random moments, restarts it and repeats the request. Whenever the service reports a model as downloaded, the test compares every byte.',
    limits: 'Bytes that arrived but were not yet written are downloaded again. Power cuts are not tested.',
  },
  'kill-executor': {
    title: 'The executor is killed',
    did: 'The test kills the executor with SIGKILL at random moments while ten runs at a time are active. Half of the scripts are short, half are endless.',
    limits:
      'The exit code of a script whose parent was killed cannot be known. Such a run ends as `lost`, and Hob stops its processes.',
  },
  termination: {
    title: 'Runs are ended',
    did: 'Scripts start a background child, a child under nohup, a child in its own session, a double fork, a child that ignores SIGTERM, a stopped child, a hundred children, and a child that keeps inherited handles open. Each of these scripts exits normally, exits with `survivors = "stop"`, times out, is cancelled, and is cancelled through the run that linked it. The grace period is 1 s.',
    limits:
      'Processes that a script leaves behind when it ends by itself are counted and continue, unless the manifest says otherwise. A process that clears its environment, leaves its session and loses its parent can be found only by a cgroup. The table shows the result on this machine.',
  },
  flood: {
    title: 'Unlimited output',
    did: 'Two runs write to both of their streams as fast as they can, while a client requests the health of the service every 20 ms.',
    limits: 'Of output larger than `output_log_mib` the middle is counted, marked and dropped.',
  },
  bytes: {
    title: 'Arbitrary output',
    did: 'Scripts write random bytes, UTF-8, GBK, UTF-16, lines of a megabyte, NUL bytes and invalid UTF-8, in pieces cut at any byte and with pauses in between.',
    limits:
      'Bytes that are neither UTF-8 nor GB18030 are shown with replacement characters. The log files contain the original bytes.',
  },
  results: {
    title: 'Hostile results',
    did: 'In place of a regular result file, scripts leave pipes, links, devices, sparse files of gigabytes, documents a million levels deep, keys that pollute prototypes, and files that grow while Hob reads them.',
    limits: 'A number that is too large for JavaScript, such as 1e400, makes a result invalid.',
  },
  exhaustion: {
    title: 'The machine runs out of resources',
    did: 'Forty concurrent callers use a service or an executor with 64 file handles, and a service whose user may have only 50 processes. While scripts run, a disk of 16 MiB becomes full, and a home becomes read-only.',
    limits:
      'A caller for whose connection there is no file handle is disconnected. The home is read-only only for files opened afterwards: open files such as the database can still be written. Running out of memory is not tested.',
  },
  gate: {
    title: 'Runs wait for their turn',
    did: 'Chains of eight links run with one run at a time, scripts link themselves, chains need locks that other chains hold, and hundreds of runs arrive at once.',
    limits: 'A link that would close a circle of waiting runs gets 503. Its script has to try again.',
  },
  identity: {
    title: 'Hob identifies the caller',
    did: 'Scripts link others, 32 at once. The test compares the recorded parent of each run with its true parent. It also uses invented run tokens and tokens of ended runs.',
    limits: 'A script that calls the bare address of the service is traced to its run on Linux only.',
  },
  events: {
    title: 'Clients listen to events',
    did: 'One client listens to the events of all runs and resumes with its last event id, while four others post runs and the test kills the service with SIGKILL at random moments. Then clients connect and read nothing while tens of thousands of events are published.',
    limits:
      'Hob keeps the newest 10,000 events. A client that was away for longer gets `events.missed`. A power cut, which can lose the last events, is not tested.',
  },
  follow: {
    title: 'Clients follow output',
    did: 'A client follows the output of a run that has already begun, disconnects at random points and resumes at its byte offset. Many clients follow one run at once. Others open the output and never read.',
    limits:
      'A follower that falls behind by more than half of `output_log_mib` misses the bytes that were overwritten, and the response says so.',
  },
  door: {
    title: 'Hostile requests',
    did: 'Connections send random requests: methods, targets and versions of every kind; Host, Origin and Sec-Fetch-Site missing, doubled, folded or misspelt; contradictory lengths and chunks; bare line ends; NUL bytes; endless headers; pipelined requests; truncated and damaged requests. The test compares each response with a second implementation of the access rules. It also sends the same bytes to variants of the rules with one defect each, and finds every defect.',
    limits:
      "Node's parser decides whether bytes with small syntax errors are a request; the table says how often that happens. If such bytes follow a valid request, the error response can replace the response to that request.",
  },
  api: {
    title: 'Calls of every kind',
    did: 'The test generates calls for every operation in the OpenAPI document. Some follow the schemas, some are at their limits, and many have a hostile path, query, header or body: wrong types, 10,000 levels, lone surrogates, invalid UTF-8, doubled keys and `__proto__`, huge numbers, invalid escapes, paths with `..`, megabytes. The test compares every response with the document, and its error code with the list of errors. It measures memory after garbage collection.',
    limits:
      'The client sends valid HTTP only. The service has enough slots that no call gets 503 for lack of them.',
  },
  cpython: {
    title: "CPython's own tests",
    did: "Modules of CPython's test suite, from Debian's package, run as Python scripts with `/usr/bin/python3`: each one cold (`warm = false` in its manifest) and in a warm interpreter. The test compares the outcome of every test case (passed, failed, skipped and why) and the exit codes of the runs. A module with a difference runs up to two more times, cold and warm, alone on the service. A test case counts as different if it differs each time.",
    limits:
      'Test cases that need the network, gigabytes of disk or minutes of processor time are skipped, cold and warm. Modules that take longer than a minute run in part or not at all.',
  },
  'hang-up': {
    title: 'Callers disconnect',
    did: 'Synchronous callers close their connection at random moments. Results, outputs and requests of 50 MB are sent, each over its limit.',
    limits: 'An envelope that exceeds its limit is not kept.',
  },
};

/** Renders docs/reliability.md. */
export function reliabilityPage(data) {
  const lines = [
    '# Reliability',
    '',
    'How Hob behaves when a process dies, a machine runs out of resources or a client misbehaves, and how this is tested.',
    '',
    guarantees,
  ];
  for (const [name, { title, did, limits }] of Object.entries(scenarios)) {
    lines.push('', `### ${title}`, '', did, '', `Limits: ${limits}`, '', ...figuresOf(data[name]));
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
  return [`${seenText(seen)}${part}`, '', '| figure | measured | limit |', '|---|---|---|', ...rows];
}

function boundText(bound, unit) {
  if (bound === undefined) return '';
  const text = 'exactly' in bound ? `${bound.exactly} ${unit}` : `at most ${bound.atMost} ${unit}`;
  return text.trim();
}
