import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { type Answer, type Hob, isRunning, tempFolder } from '../support/hob.ts';
import { killEach, processesWith, startTraced } from '../support/processes.ts';
import { patiently, scaled } from '../support/scale.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere, linesOf, until } from '../support/until.ts';

const scenario = 'termination';
/** Enough time for every script to start its processes, also on a busy machine. */
const runtimeWithTimeout = 'timeout = 5';
const settings = 'stop_grace_s = 1\nmax_runs = 64\n';

/** A process that writes its id and then sleeps. It uses exec, so that one line is one process. */
const lasting = `bash -c 'echo $$ >> "$pids"; exec sleep 600'`;

/** Processes that a script may leave behind or wait for: how it starts them, and how many there are. */
const shapes = {
  'background child': { start: `${lasting} &`, count: 1 },
  nohup: { start: `nohup ${lasting} > /dev/null 2>&1 &`, count: 1 },
  setsid: { start: `setsid ${lasting} &`, count: 1 },
  'double fork': { start: `( ( ${lasting} & ) & )`, count: 1 },
  'ignores TERM': { start: `trap "" TERM; ${lasting} &`, count: 1 },
  stopped: { start: `${lasting} & until [ -s "$pids" ]; do sleep 0.01; done; kill -STOP $!`, count: 1 },
  'storm of 100': { start: `for i in $(seq 100); do ${lasting} & done`, count: 100 },
  'inherited handles': { start: `exec 9> "$files/handle"; ${lasting} &`, count: 1 },
};
type Shape = keyof typeof shapes;
const shapeNames = Object.keys(shapes).filter((name): name is Shape => name in shapes);

/** The file in which a script of this shape writes its run id, its process ids or the id of its parent run. */
const fileOf = (files: string, shape: string, kind: 'run' | 'pids' | 'parent') =>
  join(files, `${shape.replaceAll(' ', '-')}.${kind}`);

function entryOf(files: string, name: string, start: string, count: number, last: string): [string, string] {
  return bash(`
export files="${files}" pids="${fileOf(files, name, 'pids')}"
${start}
until [ -e "$pids" ] && [ "$(wc -l < "$pids")" -ge ${count} ]; do sleep 0.02; done
echo "$HOB_RUN_ID" > "$pids.run" && mv "$pids.run" "${fileOf(files, name, 'run')}"
${last}
`);
}

const exits = 'exit 3';
const stays = 'sleep 600 & wait; sleep 600';

interface Cell {
  readonly shape: Shape;
  readonly answer: Answer;
  readonly runId: string;
  readonly pids: number[];
}

const pidsIn = async (path: string) => (await linesOf(path)).map(Number);

/** The processes of a run that still exist, found by the ids they wrote and by the variable in their environment. */
async function survivorsOf({ runId, pids }: Pick<Cell, 'runId' | 'pids'>): Promise<number[]> {
  const alive = await Promise.all(pids.map(async (pid) => ((await isRunning(pid)) ? [pid] : [])));
  return [...new Set([...alive.flat(), ...(await processesWith(`HOB_RUN_ID=${runId}`))])];
}

/** Ends one run of every shape in the same way, all at once. */
async function runAll(
  ending: { runtime?: string; last: string; viaParent?: boolean },
  end: (hob: Hob, shape: Shape, files: string) => Promise<void> = async () => {},
): Promise<{ hob: Hob; cells: Cell[] }> {
  const files = await tempFolder();
  const scripts = await tempFolder();
  const ids = new Map<Shape, string>();
  for (const shape of shapeNames) {
    const { start, count } = shapes[shape];
    const entry = entryOf(files, shape, start, count, ending.last);
    const id = await writeScript(scripts, shape, { node: true, runtime: ending.runtime ?? '', entry });
    const parent = fileOf(files, shape, 'parent');
    const link = `open("${parent}", "w").write(env["run_id"]); call("/api/link", {"script_id": "${id}"})`;
    const parentId = await writeScript(scripts, `${shape} parent`, {
      language: 'python',
      entry: python(link),
    });
    ids.set(shape, ending.viaParent ? parentId : id);
  }
  const { hob } = await startTraced({ scripts: [scripts], settings });
  const cells = shapeNames.map(async (shape): Promise<Cell> => {
    const answering = hob.run(ids.get(shape) ?? '');
    // If the run cannot be ended, the test reports that, and not the missing answer.
    answering.catch(() => {});
    await fileThere(fileOf(files, shape, 'run'));
    await end(hob, shape, files);
    const answer = await answering;
    const runId = (await readFile(fileOf(files, shape, 'run'), 'utf8')).trim();
    return { shape, answer, runId, pids: await pidsIn(fileOf(files, shape, 'pids')) };
  });
  return { hob, cells: await Promise.all(cells) };
}

const cancel = async (hob: Hob, runFile: string): Promise<void> => {
  const runId = (await readFile(runFile, 'utf8')).trim();
  const answer = await hob.post(`/api/runs/${runId}/cancel`, {});
  expect(answer.status).toBe(200);
};

/** TERM ends every process of the group, except those that ignore it. */
const stoppedCode = (shape: Shape) => (shape === 'ignores TERM' ? 137 : 143);

async function endsOf(hob: Hob, cells: readonly Cell[]) {
  return await Promise.all(
    cells.map(async ({ shape, runId }) => {
      const { end_cause, exit_code } = await hob.ended(runId);
      return { shape, end_cause, exit_code };
    }),
  );
}

async function expectNoSurvivors(ending: string, cells: readonly Cell[]): Promise<void> {
  const left = await Promise.all(
    cells.map(async (cell) => ({ shape: cell.shape, survivors: (await survivorsOf(cell)).length })),
  );
  try {
    expect(left).toEqual(shapeNames.map((shape) => ({ shape, survivors: 0 })));
  } finally {
    for (const cell of cells) killEach(await survivorsOf(cell));
  }
  const value = left.reduce((sum, { survivors }) => sum + survivors, 0);
  record({ scenario, what: `processes left after ${ending}`, value, unit: '', bound: { exactly: 0 } });
}

describe.each(Array.from({ length: scaled(1, 10) }, (_, index) => index + 1))('round %d: a run', () => {
  it(
    'that ends by itself is answered, and its remaining processes are counted and continue',
    patiently,
    async () => {
      const { hob, cells } = await runAll({ last: exits });
      try {
        expect(await endsOf(hob, cells)).toEqual(
          shapeNames.map((shape) => ({ shape, end_cause: 'exit', exit_code: 3 })),
        );
        for (const cell of cells)
          expect([cell.shape, (await survivorsOf(cell)).sort()]).toEqual([cell.shape, cell.pids.sort()]);
        const counted = await Promise.all(
          cells.map(async ({ shape, runId }) => {
            const left = await until(
              `${shape}: left_running is known`,
              async () => {
                const { left_running } = (await hob.get(`/api/runs/${runId}`)).body;
                return typeof left_running === 'number' && { count: left_running };
              },
              10_000,
            );
            return { shape, ...left };
          }),
        );
        expect(counted).toEqual(shapeNames.map((shape) => ({ shape, count: shapes[shape].count })));
      } finally {
        for (const cell of cells) killEach(await survivorsOf(cell));
      }
    },
  );

  it('that ends by itself with `survivors = "stop"` leaves no process', patiently, async () => {
    const { hob, cells } = await runAll({ runtime: 'survivors = "stop"', last: exits });
    await expectNoSurvivors('an exit that stops survivors', cells);
    expect(await endsOf(hob, cells)).toEqual(
      shapeNames.map((shape) => ({ shape, end_cause: 'exit', exit_code: 3 })),
    );
  });

  it('that exceeds its timeout leaves no process', patiently, async () => {
    const { hob, cells } = await runAll({ runtime: runtimeWithTimeout, last: stays });
    await expectNoSurvivors('a timeout', cells);
    expect(await endsOf(hob, cells)).toEqual(
      shapeNames.map((shape) => ({ shape, end_cause: 'timeout', exit_code: stoppedCode(shape) })),
    );
    for (const { answer } of cells) expect(answer.body).toMatchObject({ success: false, timed_out: true });
  });

  it('that is cancelled leaves no process', patiently, async () => {
    const { hob, cells } = await runAll({ last: stays }, (service, shape, files) =>
      cancel(service, fileOf(files, shape, 'run')),
    );
    await expectNoSurvivors('a cancel', cells);
    expect(await endsOf(hob, cells)).toEqual(
      shapeNames.map((shape) => ({ shape, end_cause: 'cancelled', exit_code: stoppedCode(shape) })),
    );
    for (const { answer } of cells) expect(answer.body).toMatchObject({ success: false, timed_out: false });
  });

  it('whose parent is cancelled ends too, and leaves no process', patiently, async () => {
    const { hob, cells } = await runAll({ last: stays, viaParent: true }, (service, shape, files) =>
      cancel(service, fileOf(files, shape, 'parent')),
    );
    const children = await endsOf(hob, cells);
    await expectNoSurvivors('a cancel of the parent', cells);
    expect(children).toEqual(
      shapeNames.map((shape) => ({ shape, end_cause: 'cancelled', exit_code: stoppedCode(shape) })),
    );
    for (const { answer } of cells) {
      const parent = await hob.ended(String(answer.headers.get('x-hob-run-id')));
      expect(parent).toMatchObject({ end_cause: 'cancelled', exit_code: 143 });
    }
  });
});

describe('a process that clears its environment, leaves its session and loses its parent', () => {
  it.each([
    ['at the very start of its run', ''],
    ['later', 'sleep 0.3; '],
  ])('%s is found only through its cgroup, if there is one', patiently, async (when, pause) => {
    const files = await tempFolder();
    const scripts = await tempFolder();
    const pids = fileOf(files, 'cleared', 'pids');
    const escaping = `${pause}env -i "PATH=$PATH" setsid bash -c '( bash -c "echo \\$\\$ >> ${pids}; exec sleep 600" & )'`;
    const id = await writeScript(scripts, 'cleared', {
      runtime: runtimeWithTimeout,
      entry: entryOf(files, 'cleared', escaping, 1, stays),
    });
    const { hob } = await startTraced({ scripts: [scripts], settings });
    const { body } = await hob.run(id);
    const [pid = 0] = await pidsIn(pids);
    const escaped = await isRunning(pid);
    killEach([pid]);
    expect(body).toMatchObject({ timed_out: true });
    const { containment } = (await hob.get('/api/health')).body;
    record({ scenario, what: 'containment', value: String(containment), unit: '' });
    const outcome = {
      scenario,
      what: `a process that only its cgroup identifies, started ${when}, after a timeout`,
      value: escaped ? 'not contained' : 'contained',
      unit: '',
    };
    // The kernel moves a run into its cgroup a moment after its start, without waiting. A process started before that may escape.
    const isSure = containment === 'cgroup' && when === 'later';
    record({ ...outcome, ...(isSure && { bound: { exactly: 'contained' } }) });
  });
});
