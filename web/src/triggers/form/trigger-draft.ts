import type { Script, Trigger, TriggerKind } from '../../api/wire.ts';
import { draftOf, linesOf } from '../../script/form/draft.ts';
import { type FieldErrors, type FormValues, makeCall, noValues } from '../../script/form/make-call.ts';
import { isSame } from '../../script/form/shown-params.ts';
import { type Fields, fieldsOfRule, type Rule, ruleOf } from './schedule-rule.ts';

/** The state of the form. */
export interface TriggerDraft {
  readonly kind: TriggerKind;
  /** Empty: derived from the script and the kind. */
  readonly id: string;
  /** The id or slug of the script. */
  readonly script: string;
  readonly rule: Rule;
  readonly recursive: boolean;
  /** Text fields by their names in triggers.toml. Empty texts are not written. */
  readonly texts: Readonly<Record<string, string>>;
  /** The main input and the params of each run. */
  readonly values: FormValues;
}

/** The values at the start. Parts that the form cannot show are kept. */
export interface Origin {
  /** The fields as written; empty for a new trigger. */
  readonly written: Fields;
  /** The suggestion that the trigger takes its values from. */
  readonly suggestion: { readonly name: string; readonly values: Fields } | null;
}

const textFields: Readonly<Record<TriggerKind, readonly string[]>> = {
  schedule: ['timezone', 'missed', 'missed_within', 'overlap', 'jitter'],
  folder: ['path', 'settle', 'batch', 'after'],
  webhook: ['signature', 'secret', 'into'],
};

const defaults: Fields = {
  missed: 'once',
  overlap: 'skip',
  after: 'leave',
  signature: 'token',
  into: 'event',
  recursive: false,
};

/** The draft for the fields in force. */
export function draftOfFields(kind: TriggerKind, values: Fields, script: Script | null): TriggerDraft {
  const texts: Record<string, string> = {};
  for (const name of textFields[kind]) texts[name] = String(values[name] ?? defaults[name] ?? '');
  if (Array.isArray(values.filters)) texts.filters = values.filters.join(' ');
  const { attempts, backoff } = objectIn(values.retries);
  texts.attempts = attempts === undefined ? '' : String(attempts);
  texts.backoff = backoff === undefined ? '' : String(backoff);
  return {
    kind,
    id: '',
    script: String(values.script ?? ''),
    rule: ruleOf(values),
    recursive: values.recursive === true,
    texts,
    values: script === null ? noValues : valuesOf(script, values),
  };
}

function valuesOf({ input, params }: Script, values: Fields): FormValues {
  const given = objectIn(values.params);
  const drafts = Object.fromEntries(
    params.flatMap((param) =>
      Object.hasOwn(given, param.name) && !isSame(given[param.name], param.default)
        ? [[param.name, draftOf(param, given[param.name])] as const]
        : [],
    ),
  );
  const data = Array.isArray(values.data) ? values.data : objectIn(values.data)[input?.name ?? ''];
  const items = Array.isArray(data) ? data : data === undefined ? [] : [data];
  return {
    input: input?.type === 'str' && items.length === 1 ? String(items[0]) : linesOf(items),
    drafts,
  };
}

/** The part of a script that the form asks for: a trigger fills the rest itself. */
export function askedOf(
  script: Script,
  { kind, texts }: TriggerDraft,
): Pick<Script, 'id' | 'input' | 'params'> {
  return {
    id: script.id,
    input: kind === 'folder' ? null : script.input,
    params: kind === 'webhook' ? script.params.filter(({ name }) => name !== texts.into) : script.params,
  };
}

interface MadeFields {
  readonly fields: Fields;
  /** Mistakes in the main input and the params. */
  readonly fieldErrors: FieldErrors;
}

const noErrors: FieldErrors = new Map();

/** The fields to store. */
export function fieldsOfDraft(draft: TriggerDraft, script: Script | null, origin: Origin): MadeFields {
  const { kind, texts, rule, recursive } = draft;
  const { written, suggestion } = origin;
  const fields: Record<string, unknown> = {
    script: draft.script,
    kind,
    ...(written.enabled !== undefined && { enabled: written.enabled }),
  };
  if (kind === 'schedule') Object.assign(fields, fieldsOfRule(rule));
  for (const name of textFields[kind]) if (texts[name]?.trim()) fields[name] = texts[name].trim();
  // An interval is the same in every time zone.
  if (rule.mode === 'interval') delete fields.timezone;
  if (kind === 'folder') {
    const filters = texts.filters?.split(/[\s,;，、]+/).filter(Boolean) ?? [];
    if (filters.length > 0) fields.filters = filters;
    fields.recursive = recursive;
  }
  const retries = retriesOf(draft, origin);
  if (Object.keys(retries).length > 0) fields.retries = retries;
  const { inputs, fieldErrors } = inputsOf(draft, script, origin);
  Object.assign(fields, inputs);
  // A default is written only where it already is, or where the suggestion says something else.
  for (const [name, value] of Object.entries(defaults))
    if (fields[name] === value && !Object.hasOwn(written, name) && suggestion?.values[name] === undefined)
      delete fields[name];
  return { fields: suggestion === null ? fields : underSuggestion(fields, suggestion), fieldErrors };
}

/** Leaves out what the suggestion already says. A suggestion with a field that the user removed cannot be followed any more. */
function underSuggestion(fields: Fields, { name, values }: NonNullable<Origin['suggestion']>): Fields {
  if (Object.keys(values).some((key) => !Object.hasOwn(fields, key))) return fields;
  const own = Object.entries(fields).filter(([key, value]) => !isSame(value, values[key]));
  const { script, kind, ...rest } = Object.fromEntries(own);
  return { script, kind, from: `package:${name}`, ...rest };
}

function retriesOf({ texts }: TriggerDraft, { written, suggestion }: Origin): Fields {
  const { attempts: _, backoff: __, ...kept } = objectIn(written.retries ?? suggestion?.values.retries);
  const [attempts = '', backoff = ''] = [texts.attempts?.trim(), texts.backoff?.trim()];
  return {
    // The service explains what is wrong with a text that is not a number.
    ...(attempts !== '' && { attempts: /^\d+$/.test(attempts) ? Number(attempts) : attempts }),
    ...(backoff !== '' && { backoff }),
    ...kept,
  };
}

function inputsOf(draft: TriggerDraft, script: Script | null, { written, suggestion }: Origin) {
  const before = { ...suggestion?.values, ...written };
  const { data, params } = before;
  const given = { ...(data !== undefined && { data }), ...(params !== undefined && { params }) };
  if (script === null) return { inputs: given, fieldErrors: noErrors };
  const asked = askedOf(script, draft);
  const made = makeCall(asked, draft.values);
  if ('fieldErrors' in made) return { inputs: given, fieldErrors: made.fieldErrors };
  const declared = new Set(script.params.map(({ name }) => name));
  const chosen = {
    ...Object.fromEntries(Object.entries(objectIn(params)).filter(([name]) => !declared.has(name))),
    // A value equal to the default follows changes of the manifest.
    ...Object.fromEntries(
      Object.entries(made.call.params ?? {}).filter(([name]) => Object.hasOwn(draft.values.drafts, name)),
    ),
  };
  const typed = Object.values(made.call.data ?? {}).flat();
  return {
    inputs: {
      ...(asked.input === null ? data !== undefined && { data } : typed.length > 0 && { data: typed }),
      ...(Object.keys(chosen).length > 0 && { params: chosen }),
    },
    fieldErrors: noErrors,
  };
}

const longestId = 64;

/** An unused id for a new trigger: the slug of the script, and the name of the suggestion or the kind. */
export function freeId(slug: string, ending: string, taken: ReadonlySet<string>): string {
  const last = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(ending) ? ending.slice(0, 24) : 'trigger';
  const stem = `${slug.slice(0, longestId - last.length - 5)}-${last}`
    .replace(/^-+|-+$/g, '')
    .replace(/--+/g, '-');
  for (let number = 1; ; number++) {
    const id = number === 1 ? stem : `${stem}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** The suggestion that a trigger takes its values from, if the script still has it. */
export function originOf(
  { fields, from, script_id, kind }: Trigger,
  suggestions: readonly Offered[],
): Origin {
  const offered = suggestions.find(
    (one) => one.script_id === script_id && one.name === from && one.kind === kind,
  );
  return { written: fields, suggestion: from === null || offered === undefined ? null : offered };
}

interface Offered {
  readonly script_id: string;
  readonly kind: TriggerKind;
  readonly name: string;
  readonly values: Fields;
}

function objectIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

/** The script with this id or slug. */
export function scriptNamed(scripts: readonly Script[], name: string): Script | null {
  const sought = name.toLowerCase();
  return scripts.find(({ id, slug }) => id === sought || slug === sought) ?? null;
}
