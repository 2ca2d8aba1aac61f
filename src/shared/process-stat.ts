export interface ProcessStat {
  /** One letter; Z is a process that only waits to be buried. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it was started, in clock ticks since the boot: with its id, this tells it from every other process of that boot. */
  readonly startTicks: number;
  /** Its main thread may end before the others: the state is Z then, and the process lives on. */
  readonly threads: number;
  /** A part of the kernel, not a program. */
  readonly isKernelThread: boolean;
  /** It was killed, or is at its end, whatever is left of it. */
  readonly isEnding: boolean;
}

const kernelThreadFlag = 0x0020_0000;
const exitingFlag = 0x4;
/** A signal ends it. The kernel sets this after it has taken the signal, and before it begins to exit. */
const signaledFlag = 0x400;
/** Every signal that ends a process becomes this one as soon as it is sent. */
const killPending = 0x100;

/** What `/proc/<pid>/stat` says. The command in it is in brackets and may contain anything, so the rest is found from its end. */
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
