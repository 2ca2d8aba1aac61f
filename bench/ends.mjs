import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { writeScript } from './performance/programs.mjs';
import { idOf } from './performance/scene.mjs';
import { rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const graceMs = 1000;
const timeoutMs = 1000;
const settings = `stop_grace_s = ${graceMs / 1000}\n`;
const rounds = 5;

const lasting = `bash -c 'echo $$ >> "$files/pids"; exec sleep 600'`;
const children = {
  'one child': { start: `${lasting} &`, count: 1 },
  'a child that ignores TERM': { start: `trap "" TERM; ${lasting} &`, count: 1 },
  '100 children': { start: `for i in $(seq 100); do ${lasting} & done`, count: 100 },
};
const stamp = 'date +%s%3N > "$files/due.new" && mv "$files/due.new" "$files/due"';
const stays = 'sleep 600 & wait; sleep 600';
/** Last command of the script, the moment when the run is due to end, and how long Hob may take to respond from then on. */
const endings = {
  'it exits': { last: `${stamp}; exit 3`, mostMs: 1000 },
  'it exits, with `survivors = "stop"`': {
    last: `${stamp}; exit 3`,
    runtime: ['survivors = "stop"'],
    mostMs: 1000,
  },
  'it exceeds its timeout': {
    last: stays,
    begin: `echo $(( $(date +%s%3N) + ${timeoutMs} )) > "$files/due"`,
    runtime: [`timeout = ${timeoutMs / 1000}`],
    mostMs: graceMs + 1000,
  },
  'it is cancelled': { last: stays, isCancelled: true, mostMs: graceMs + 1000 },
};

const findOutput = `output=$(sed -n 's/.*"output_json": "\\(.*\\)",*/\\1/p' "$1")`;
const results = {
  'a regular file': `echo '{"code":0,"msg":"ok"}' > "$output"`,
  'a pipe without a writer': 'mkfifo "$output"',
  'a link to /dev/zero': 'ln -s /dev/zero "$output"',
  'a sparse file of 4 GiB': 'truncate -s 4G "$output"',
  'JSON with a million levels': `head -c 1000000 /dev/zero | tr '\\0' '[' > "$output"`,
};
const mostResultMs = 2000;

/** Measures how long a client waits for its response once its run is due to end. */
export async function measure({ quick, say }) {
  const load = loadavg()[0];
  const folder = mkdtempSync(join(tmpdir(), 'hob-bench-ends-'));
  const home = join(folder, 'home');
  const cases = writeCases(folder, join(home, 'scripts'));
  const service = await startService(home, settings);
  const callers = [service.caller(), service.caller()];
  try {
    for (let round = 0; round < (quick ? 1 : rounds); round++) {
      say(`round ${round + 1}`);
      for (const each of cases) each.samples.add(await timeEnd(callers, each));
    }
  } finally {
    for (const caller of callers) caller.close();
    await service.stop();
    for (const { files } of cases) killLeft(files);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const row = (words, { samples }) => [...words, rounded(samples.at(0.5)), rounded(samples.at(1))];
  const of = (kind) => cases.filter((each) => each.kind === kind);
  return {
    tables: [
      {
        title: `From the moment when a run is due to end to the response, with a grace period of ${graceMs} ms, in milliseconds (load average at the start: ${rounded(load)})`,
        columns: ['the run ends because', 'it has started', 'p50', 'longest'],
        rows: of('ending').map((each) => row([each.ending, each.shape], each)),
      },
      {
        title: 'From the exit of a script to the response, in milliseconds',
        columns: ['result of the script', 'p50', 'longest'],
        rows: of('result').map((each) => row([each.result], each)),
      },
    ],
    claims: claimsOf(of),
  };
}

function claimsOf(of) {
  const claim = (what, cases, atMost) => {
    const longest = Math.max(...cases.map(({ samples }) => samples.at(1)));
    return { what, bound: { atMost }, measured: rounded(longest), isMet: longest <= atMost };
  };
  return [
    ...Object.entries(endings).map(([ending, { mostMs }]) =>
      claim(
        `longest response time if ${ending}, ms`,
        of('ending').filter((each) => each.ending === ending),
        mostMs,
      ),
    ),
    claim('longest response time for any result, ms', of('result'), mostResultMs),
  ];
}

function writeCases(folder, scripts) {
  const cases = [];
  const add = (what, { text, runtime = [], isCancelled = false }) => {
    const id = idOf(cases.length);
    const files = join(folder, String(cases.length));
    mkdirSync(files);
    const whole = `export files="${files}"\n${text}\n`;
    const name = `case ${cases.length}`;
    writeScript(scripts, { id, name, language: 'bash', entry: 'main.sh', text: whole, runtime });
    cases.push({ ...what, id, files, isCancelled, samples: new Samples() });
  };
  mkdirSync(scripts, { recursive: true });
  for (const [ending, { last, begin = ':', ...rest }] of Object.entries(endings))
    for (const [shape, { start, count }] of Object.entries(children)) {
      const ready = `until [ "$(cat "$files/pids" 2> /dev/null | wc -l)" -ge ${count} ]; do sleep 0.02; done`;
      const told = 'echo "$HOB_RUN_ID" > "$files/run.new" && mv "$files/run.new" "$files/run"';
      const text = [begin, start, ready, told, last].join('\n');
      add({ kind: 'ending', ending, shape }, { text, ...rest });
    }
  for (const [result, act] of Object.entries(results))
    add({ kind: 'result', result }, { text: [findOutput, act, stamp].join('\n') });
  return cases;
}

async function timeEnd([waiting, cancelling], { id, files, isCancelled }) {
  for (const name of ['pids', 'run', 'due']) rmSync(join(files, name), { force: true });
  const answered = waiting.json('/api/execute', { script_id: id, sync: true }).then(() => Date.now());
  let dueMs;
  if (isCancelled) {
    while (!existsSync(join(files, 'run'))) await pause(5);
    dueMs = Date.now();
    await cancelling.json(`/api/runs/${readFileSync(join(files, 'run'), 'utf8').trim()}/cancel`, {});
  }
  const answeredMs = await answered;
  dueMs ??= Number(readFileSync(join(files, 'due'), 'utf8'));
  killLeft(files);
  return answeredMs - dueMs;
}

/** Kills the processes that a script left behind. The id of an ended process may belong to another process now, so check its environment. */
function killLeft(files) {
  const path = join(files, 'pids');
  if (!existsSync(path)) return;
  for (const pid of readFileSync(path, 'utf8').trim().split('\n').map(Number)) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`files=${files}`))
        process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  rmSync(path);
}
