export interface ProcessStat {
  /** One letter; Z is a process that only waits to be buried. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it was started, in clock ticks since the boot: with its id, this tells it from every other process of that boot. */
  readonly startTicks: number;
  /** A part of the kernel, not a program. */
  readonly isKernelThread: boolean;
}

const kernelThreadFlag = 0x0020_0000;

/** What `/proc/<pid>/stat` says. The command in it is in brackets and may contain anything, so the rest is found from its end. */
export function parseProcessStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  return {
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTicks: Number(fields[19]),
    isKernelThread: (Number(fields[6]) & kernelThreadFlag) !== 0,
  };
}
