export const areas = [
  'hob',
  'home',
  'settings',
  'service',
  'runtimes',
  'tools',
  'desktop',
  'scripts',
  'packages',
  'environments',
] as const;

/** What a finding is about, in the order in which they are told. */
export type Area = (typeof areas)[number];

/** One thing that was looked at. */
export interface Finding {
  readonly area: Area;
  /** ok: as it should be. note: worth knowing. problem: something does not work. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly what: string;
  /** What to do about it, in one sentence; null where there is nothing to do. */
  readonly next: string | null;
}

export function ok(area: Area, what: string): Finding {
  return { area, state: 'ok', what, next: null };
}

export function note(area: Area, what: string, next: string | null): Finding {
  return { area, state: 'note', what, next };
}

export function problem(area: Area, what: string, next: string | null): Finding {
  return { area, state: 'problem', what, next };
}

/** A sentence of ours that says what is wrong and, behind its first full stop, what to do. */
export function splitAdvice(text: string): { what: string; next: string | null } {
  const [, what, next] = /^(.*?[^.])\.\s+(\S.*)$/s.exec(text) ?? [];
  return what === undefined || next === undefined ? { what: text, next: null } : { what, next };
}
