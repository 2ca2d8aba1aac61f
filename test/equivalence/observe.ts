import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { extname, join } from 'node:path';

import type { Hob } from '../support/hob.ts';
import { killEach, processesWith } from '../support/processes.ts';
import { fileThere, until } from '../support/until.ts';
import { normaliseBytes, type Particulars, withoutOwnFrames } from './normalise.ts';

/** Every visible effect of a run of a program. */
export interface Observation {
  readonly runId: string;
  readonly seen: {
    readonly answer: Record<string, unknown>;
    readonly record: Record<string, unknown>;
    readonly stdout: string;
    readonly stderr: string;
    readonly files: Record<string, string>;
  };
}

/** Longer texts are compared by hash, because their difference would be unreadable. */
const mostReadable = 1_000_000;

/** Runs a script and collects its effects. */
export async function observe(
  hob: Hob,
  id: string,
  folder: string,
  awaits: string | null,
): Promise<Observation> {
  const { status, body, headers } = await hob.run(id);
  const runId = headers.get('x-hob-run-id');
  if (runId === null) throw new Error(`the script in ${folder} did not run: ${JSON.stringify(body)}`);
  const particulars = { folder, runId };
  if (awaits !== null) await fileThere(join(folder, awaits));
  const [stdout, stderr] = await Promise.all([
    outputOf(hob, 'stdout', particulars),
    outputOf(hob, 'stderr', particulars),
  ]);
  const record = (await hob.get(`/api/runs/${runId}`)).body;
  return {
    runId,
    seen: {
      answer: { status, success: body.success, said: body.status, exit_code: body.exit_code },
      record: {
        state: record.state,
        end_cause: record.end_cause,
        exit_code: record.exit_code,
        envelope: record.envelope,
        result: resultOf(record),
        truncated: record.truncated,
      },
      stdout,
      stderr,
      files: await filesIn(folder, particulars),
    },
  };
}

/** Waits until the processes that a run left behind have been counted, and then kills them. */
export async function countLeft(hob: Hob, runId: string): Promise<number> {
  const count = await until('the remaining processes are counted', async () => {
    const { left_running } = (await hob.get(`/api/runs/${runId}`)).body;
    return typeof left_running === 'number' ? left_running : false;
  });
  if (count > 0) killEach(await processesWith(`HOB_RUN_ID=${runId}`));
  return count;
}

async function outputOf(hob: Hob, stream: 'stdout' | 'stderr', particulars: Particulars): Promise<string> {
  const answer = await fetch(`${hob.url}/api/runs/${particulars.runId}/${stream}`);
  const text = normaliseBytes(Buffer.from(await answer.arrayBuffer()), particulars);
  const compared = stream === 'stderr' ? withoutOwnFrames(text) : text;
  return compared.length > mostReadable ? `${compared.length} characters ${sumOf(compared)}` : compared;
}

/** A synthesized envelope repeats the end of stderr, which may contain frames of the host. Only the text before it counts. */
function resultOf({ result, envelope }: Record<string, unknown>): unknown {
  const { code, msg } = Object(result);
  return envelope === 'own' ? result : { code, msg: String(msg).split('\n')[0] };
}

async function filesIn(folder: string, particulars: Particulars): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name);
    const stats = await lstat(path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (name === 'script.toml') continue;
    if (stats.isDirectory()) files[name] = `folder ${mode}`;
    else if (stats.isSymbolicLink()) files[name] = `link to ${await readlink(path)}`;
    // Python does not compile one text to the same bytecode each time: shared names depend on the other loaded modules.
    else if (extname(name) === '.pyc') files[name] = `bytecode ${mode}`;
    else files[name] = `file ${mode} ${normaliseBytes(await readFile(path), particulars)}`;
  }
  return files;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
