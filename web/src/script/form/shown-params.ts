import type { Param } from '../../api/wire.ts';
import { type Draft, draftOf } from './draft.ts';
import { readDraft } from './read-draft.ts';

export type Drafts = Readonly<Record<string, Draft>>;

/** What a control shows: what was put in, else the default. */
export function draftIn(drafts: Drafts, param: Param): Draft {
  return Object.hasOwn(drafts, param.name) ? (drafts[param.name] ?? '') : draftOf(param, param.default);
}

/** The params that are asked for, as the service sees it: by what would be sent of the others, and else by their defaults. */
export function shownParams(params: readonly Param[], drafts: Drafts): Param[] {
  const byName = new Map(params.map((param) => [param.name, param]));
  const isShown = ({ when }: Param, askers: ReadonlySet<string>): boolean => {
    if (when === null) return true;
    const other = byName.get(when.field);
    if (other === undefined) return false;
    // Two that wait for each other would never be seen.
    if (askers.has(other.name)) return true;
    const reading = isShown(other, new Set([...askers, other.name]))
      ? readDraft(other, draftIn(drafts, other))
      : null;
    return isSame(reading?.kind === 'value' ? reading.value : other.default, when.eq);
  };
  return params.filter((param) => isShown(param, new Set([param.name])));
}

/** Whether two JSON values are the same, whatever the order of their keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return left.size === right.size && [...left].every(([key, value]) => isSame(value, right.get(key)));
}
