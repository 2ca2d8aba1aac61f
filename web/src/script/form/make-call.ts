import type { Run, Script } from '../../api/wire.ts';
import { type Draft, draftOf, linesOf } from './draft.ts';
import { type FieldError, type Reading, readDraft, readLines } from './read-draft.ts';
import { type Drafts, draftIn, isSame, shownParams } from './shown-params.ts';

/** The entered values. Fields without a draft have the default of the manifest. */
export interface FormValues {
  readonly input: string;
  readonly drafts: Drafts;
}

export const noValues: FormValues = { input: '', drafts: {} };

/** The body of the request that runs the script. */
export interface RunCall {
  readonly script_id: string;
  readonly data?: Readonly<Record<string, readonly string[]>>;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Errors by field: the name of a parameter, or `inputField`. */
export type FieldErrors = ReadonlyMap<string, FieldError>;

/** The name of the main input field. No parameter can have it, because names in a manifest are not empty. */
export const inputField = '';

export type MadeCall = { readonly call: RunCall } | { readonly fieldErrors: FieldErrors };

/** The request of the form, or all its errors. With `secretsLater`, required secrets may be empty, because the call is only shown. */
export function makeCall(
  script: Pick<Script, 'id' | 'input' | 'params'>,
  { input, drafts }: FormValues,
  { secretsLater = false } = {},
): MadeCall {
  const fieldErrors = new Map<string, FieldError>();
  const params: Record<string, unknown> = {};
  for (const param of shownParams(script.params, drafts)) {
    const draft = draftIn(drafts, param);
    const isLater = secretsLater && param.secret && param.required && draft === '';
    const reading: Reading = isLater ? { kind: 'value', value: '' } : readDraft(param, draft);
    if (reading.kind === 'wrong') fieldErrors.set(param.name, reading.fieldError);
    if (reading.kind === 'value') params[param.name] = reading.value;
  }
  const values = script.input === null ? [] : readInput(script.input, input);
  const fieldError = script.input === null ? null : inputError(script.input, input, values);
  if (fieldError !== null) fieldErrors.set(inputField, fieldError);
  if (fieldErrors.size > 0) return { fieldErrors };
  const texts = values.map(String);
  return {
    call: {
      script_id: script.id,
      ...(script.input !== null && texts.length > 0 && { data: { [script.input.name]: texts } }),
      ...(Object.keys(params).length > 0 && { params }),
    },
  };
}

/** The error of one field, or null. */
export function fieldErrorAt(
  script: Pick<Script, 'id' | 'input' | 'params'>,
  values: FormValues,
  field: string,
): FieldError | null {
  const made = makeCall(script, values);
  return 'fieldErrors' in made ? (made.fieldErrors.get(field) ?? null) : null;
}

/** The values of the main input: a single value, or one per line. */
export function readInput(
  { type, pick }: Pick<NonNullable<Script['input']>, 'type' | 'pick'>,
  text: string,
): readonly unknown[] {
  if (text.trim() === '') return [];
  if (type === 'str') return [pick === null ? text : unquoted(text.trim())];
  const reading = readLines(text);
  const values = reading.kind === 'value' && Array.isArray(reading.value) ? reading.value : [text];
  return pick === null
    ? values
    : values.map((value) => (typeof value === 'string' ? unquoted(value) : value));
}

function inputError(
  { type }: Pick<NonNullable<Script['input']>, 'type'>,
  text: string,
  values: readonly unknown[],
): FieldError | null {
  const reading = type === 'str' ? null : readLines(text);
  if (reading?.kind === 'wrong') return reading.fieldError;
  const isTexts = values.every((value) => typeof value === 'string');
  return isTexts ? null : { en: 'Every entry must be text', zh: '每一项都应为文本' };
}

/** Removes quotes, which file managers and shells put around copied paths. */
function unquoted(path: string): string {
  const [, double, single] = /^(?:"(.+)"|'(.+)')$/.exec(path) ?? [];
  return double ?? single ?? path;
}

/** The field that an error of the service is about, found by the path in its message, such as `params.size`. */
export function refusedField(
  message: string,
  { input, params }: Pick<Script, 'input' | 'params'>,
): string | null {
  const isNamed = (path: string) => {
    const at = message.indexOf(path);
    // `params.size` must not match `params.size_max`.
    return at >= 0 && !/^[\p{L}\p{N}_-]/u.test(message.slice(at + path.length));
  };
  const param = params.find(({ name }) => isNamed(`params.${name}`));
  if (param !== undefined) return param.name;
  return input !== null && isNamed(`data.${input.name}`) ? inputField : null;
}

/** The form values of a run, and the parts of its input that the form cannot show. */
interface RunValues {
  readonly values: FormValues;
  /** Labels of the secrets of the run, which are not stored. */
  readonly secrets: readonly string[];
  /** Names that the script does not declare (any more). */
  readonly leftOut: readonly string[];
}

export function valuesOfRun(
  { input, params }: Pick<Script, 'input' | 'params'>,
  run: Pick<Run, 'data' | 'params'>,
): RunValues {
  const drafts: Record<string, Draft> = {};
  const secrets: string[] = [];
  for (const param of params) {
    if (!Object.hasOwn(run.params, param.name)) continue;
    if (param.secret) secrets.push(param.label);
    else if (!isSame(run.params[param.name], param.default))
      drafts[param.name] = draftOf(param, run.params[param.name]);
  }
  const data = typeof run.data === 'object' && run.data !== null ? Object.entries(run.data) : [];
  const values = data.find(([name]) => name === input?.name)?.[1] ?? [];
  const declared = new Set(params.map(({ name }) => name));
  return {
    values: { input: inputText(input, values), drafts },
    secrets,
    leftOut: [
      ...data.map(([name]) => name).filter((name) => name !== input?.name),
      ...Object.keys(run.params).filter((name) => !declared.has(name)),
    ],
  };
}

function inputText(input: Script['input'], values: unknown): string {
  if (!Array.isArray(values) || values.length === 0) return '';
  const [only, ...others] = values;
  return input?.type === 'str' && others.length === 0 ? String(only) : linesOf(values);
}
