import { dirname } from 'node:path';

import type { Text } from '../shared/text.ts';

const most = 5;
export const areas = [
  'hob',
  'home',
  'settings',
  'service',
  'runtimes',
  'tools',
  'desktop',
  'scripts',
  'triggers',
  'packages',
  'environments',
] as const;

/** The subject of a finding. Findings are shown in this order. */
export type Area = (typeof areas)[number];

/** A result of a check. */
export interface Result {
  /** ok: no problem. note: information. problem: something does not work. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly what: Text;
  /** The next step, in one sentence; null if there is none. */
  readonly next: Text | null;
}

export type Results = Result | readonly Result[];

export interface Finding extends Result {
  readonly area: Area;
}

export function ok(what: Text): Result {
  return { state: 'ok', what, next: null };
}

export function note(what: Text, next: Text | null): Result {
  return { state: 'note', what, next };
}

export function problem(what: Text, next: Text | null): Result {
  return { state: 'problem', what, next };
}

/** A note about programs on PATH that belong to a script or a package. */
export function notChecked(paths: readonly string[]): Result {
  const folders = nameSome([...new Set(paths.map((path) => dirname(path)))]);
  return note(
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

/** Lists names for a sentence; of many, the first few and the number of the others. */
export function nameSome(names: readonly string[]): Text {
  const shown = names.slice(0, most);
  const en = shown.map((name) => `"${name}"`).join(', ');
  const zh = shown.map((name) => `“${name}”`).join('、');
  if (names.length <= most) return { en, zh };
  return { en: `${en} and ${names.length - most} more`, zh: `${zh} 等 ${names.length} 个` };
}
