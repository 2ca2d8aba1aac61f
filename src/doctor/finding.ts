import { dirname } from 'node:path';

import type { Text } from '../shared/text.ts';
import { nameSome } from './name-some.ts';

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

/** The subject of a finding. Findings are shown in this order. */
export type Area = (typeof areas)[number];

/** The result of one check. */
export interface Finding {
  readonly area: Area;
  /** ok: no problem. note: information. problem: something does not work. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly what: Text;
  /** The next step, in one sentence; null if there is none. */
  readonly next: Text | null;
}

export function ok(area: Area, what: Text): Finding {
  return { area, state: 'ok', what, next: null };
}

export function note(area: Area, what: Text, next: Text | null): Finding {
  return { area, state: 'note', what, next };
}

export function problem(area: Area, what: Text, next: Text | null): Finding {
  return { area, state: 'problem', what, next };
}

/** A note about programs on PATH that belong to a script or a package. */
export function notChecked(area: Area, paths: readonly string[]): Finding {
  const folders = nameSome([...new Set(paths.map((path) => dirname(path)))]);
  return note(
    area,
    {
      en: `Not checked: programs on PATH that belong to a script or a package, because hob doctor never starts them: ${folders.en}`,
      zh: `未检查 PATH 中由脚本或脚本包带来的程序，因为 hob doctor 不会启动它们：${folders.zh}`,
    },
    {
      en: 'Scripts find these programs first. If you do not want this, remove the folders from PATH.',
      zh: '脚本会首先找到这些程序。如不希望如此，请将这些文件夹从 PATH 中去掉。',
    },
  );
}

/** Splits a message at its first full stop into the problem and the next step; in Chinese, the step may follow a comma. */
export function splitAdvice(text: Text): { what: Text; next: Text | null } {
  const [, what, next] = /^(.*?[^.])\.\s+(\S.*)$/s.exec(text.en) ?? [];
  const [, whatZh, nextZh] = /^(.*?)(?:。|，(?=请))(\S.*)$/s.exec(text.zh) ?? [];
  if (what === undefined || next === undefined || whatZh === undefined || nextZh === undefined)
    return { what: text, next: null };
  return { what: { en: what, zh: whatZh }, next: { en: next, zh: nextZh } };
}
