import { readFileSync } from 'node:fs';

import { errnoOf } from './errors.ts';

export interface ProcessStat {
  /** One letter. Z is a zombie. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Start time in clock ticks since the boot. With its id, it identifies a process among all processes of that boot. */
  readonly startTicks: number;
  /** The main thread may end before the others: then the state is Z, but the process still lives. */
  readonly threads: number;
  /** A thread of the kernel, not a program. */
  readonly isKernelThread: boolean;
  /** The process was killed or is exiting, even if parts of it still exist. */
  readonly isEnding: boolean;
}

const kernelThreadFlag = 0x0020_0000;
const exitingFlag = 0x4;
/** Set for a process that a signal ends: after the kernel has taken the signal, and before the process begins to exit. */
const signaledFlag = 0x400;
/** The kernel converts every fatal signal to SIGKILL as soon as it is sent. */
const killPending = 0x100;

/**
 * Parses `/proc/<pid>/stat`. The command is in brackets and may contain any character, so the other fields are found
 * from its end.
 */
export function parseProcessStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  const flags = Number(fields[6]);
  return {
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTicks: Number(fields[19]),
    threads: Number(fields[17]),
    isKernelThread: (flags & kernelThreadFlag) !== 0,
    isEnding:
      state === 'Z' ||
      state === 'X' ||
      (flags & (exitingFlag | signaledFlag)) !== 0 ||
      (Number(fields[28]) & killPending) !== 0,
  };
}

/** Whether a process with this id exists, for any owner. A zombie counts as dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
  return process.platform !== 'linux' || !isZombie(pid);
}

/**
 * With its id, this value identifies a process among all processes since the boot; null if the system does not report
 * it.
 */
export function startTicksOf(pid: number): number | null {
  return statOf(pid)?.startTicks ?? null;
}

function isZombie(pid: number): boolean {
  return statOf(pid)?.state === 'Z';
}

function statOf(pid: number): ProcessStat | null {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}
