export interface ProcessStat {
  /** One letter; Z is a process that only waits to be buried. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** What `/proc/<pid>/stat` says. The command in it is in brackets and may contain anything, so the rest is found from its end. */
export function parseProcessStat(text: string): ProcessStat {
  const [state = '', parent, group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent), group: Number(group), session: Number(session) };
}
