import type { Param } from '../../api/wire.ts';
import { type Draft, draftOf } from './draft.ts';
import { readDraft } from './read-draft.ts';

export type Drafts = Readonly<Record<string, Draft>>;

/** The draft of a control: the entered value, or else the default. */
export function draftIn(drafts: Drafts, param: Param): Draft {
  return Object.hasOwn(drafts, param.name) ? (drafts[param.name] ?? '') : draftOf(param, param.default);
}

/** The parameters whose conditions are met. Like the service, it compares with the values to be sent, or else the defaults. */
export function shownParams(params: readonly Param[], drafts: Drafts): Param[] {
  const byName = new Map(params.map((param) => [param.name, param]));
  const isShown = ({ when }: Param, askers: ReadonlySet<string>): boolean => {
    if (when === null) return true;
    const other = byName.get(when.field);
    if (other === undefined) return false;
    // Parameters that depend on each other would never be shown.
    if (askers.has(other.name)) return true;
    const reading = isShown(other, new Set([...askers, other.name]))
      ? readDraft(other, draftIn(drafts, other))
      : null;
    return isSame(reading?.kind === 'value' ? reading.value : other.default, when.eq);
  };
  return params.filter((param) => isShown(param, new Set([param.name])));
}

/** Compares two JSON values, ignoring the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return left.size === right.size && [...left].every(([key, value]) => isSame(value, right.get(key)));
}
