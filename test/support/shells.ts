import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { onTestFinished } from 'vitest';

import { runCookie } from '../../src/execution/messages.ts';
import { readProcessTable, startTicksOf } from '../../src/executor/run-processes.ts';
import { type ProcessStat, parseProcessStat } from '../../src/shared/process-stat.ts';
import { testPath } from './needs.ts';

/** A shell script in a separate session, as the executor would start it. */
export interface Shell {
  readonly pid: number;
  readonly startTicks: number;
  /** The run id in the environment of its processes. */
  readonly runId: string;
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Waits for a line `<word> <pid>` and resolves with the pid. That process is killed when the test ends. */
  said(word: string): Promise<number>;
  /** Writes a line to its stdin. */
  tell(line: string): void;
}

/** Starts a script. When the test ends, all its processes are killed, even those in other sessions. */
export function startShell(script: string): Shell {
  const runId = randomUUID();
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: testPath, [runCookie]: runId },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the shell was not started');
  const startTicks = startTicksOf(pid);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // The script may exit before it has read its whole stdin.
  child.stdin.on('error', () => {});
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += String(chunk);
  });
  const named = new Map<number, number>();
  onTestFinished(async () => {
    await endProcesses(runId, named);
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  });
  return {
    pid,
    startTicks,
    runId,
    child,
    exited,
    async said(word) {
      const line = new RegExp(`^${word} (\\d+)$`, 'm');
      await untilSo(() => line.test(output));
      const said = Number(line.exec(output)?.[1]);
      named.set(said, startTicksOf(said));
      return said;
    },
    tell(line) {
      child.stdin.write(`${line}\n`);
    },
  };
}

export function statOf(pid: number): ProcessStat {
  return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}

/** Polls until it is true. Only the timeout of the test limits the time. */
export async function untilSo(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Kills the processes with the run's variable, and the named ones unless their start time shows that the id was reused. */
export async function endProcesses(
  runId: string,
  named: ReadonlyMap<number, number> = new Map(),
): Promise<void> {
  for (;;) {
    const table = (await readProcessTable(0)) ?? [];
    const left = table.filter((entry) => entry.runId === runId || named.get(entry.pid) === entry.startTicks);
    if (left.length === 0) return;
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process exited before the signal.
      }
    }
  }
}
