import type { Script } from '../../api/wire.ts';
import { readChoice, writeChoice } from '../../parts/browser-memory.ts';
import type { Draft } from './draft.ts';
import { type FormValues, noValues } from './make-call.ts';
import type { Drafts } from './shown-params.ts';

type Shape = Pick<Script, 'id' | 'params'>;

/** Larger values are not stored, to leave room for other scripts. */
const mostCharacters = 100_000;

/** The last entered values of a script, for the fields that it still has. */
export function recallValues(script: Shape): FormValues {
  const kept = parse(readChoice(placeOf(script)));
  if (typeof kept !== 'object' || kept === null) return noValues;
  const input: unknown = Reflect.get(kept, 'input');
  const drafts: unknown = Reflect.get(kept, 'drafts');
  return {
    input: typeof input === 'string' ? input : '',
    drafts: typeof drafts === 'object' && drafts !== null ? fitting(script, drafts) : {},
  };
}

/** Stores the values without secrets. */
export function rememberValues(script: Shape, { input, drafts }: FormValues): void {
  const kept = fitting(script, drafts);
  const isEmpty = input === '' && Object.keys(kept).length === 0;
  const text = JSON.stringify({ input, drafts: kept });
  writeChoice(placeOf(script), isEmpty || text.length > mostCharacters ? null : text);
}

function fitting({ params }: Shape, drafts: object): Drafts {
  const kept: Record<string, Draft> = {};
  for (const { name, type, secret } of params) {
    const draft: unknown = Object.hasOwn(drafts, name) ? Reflect.get(drafts, name) : undefined;
    const fits = type === 'bool' ? typeof draft === 'boolean' : typeof draft === 'string';
    if (fits && !secret && (typeof draft === 'boolean' || typeof draft === 'string')) kept[name] = draft;
  }
  return kept;
}

function placeOf({ id }: Shape): string {
  return `hob.form.${id}`;
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
