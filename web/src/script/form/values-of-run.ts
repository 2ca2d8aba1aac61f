import type { Run, Script } from '../../api/wire.ts';
import { type Draft, draftOf, linesOf } from './draft.ts';
import type { FormValues } from './make-call.ts';
import { isSame } from './shown-params.ts';

/** The form values of a run, and the parts of its input that the form cannot show. */
export interface RunValues {
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
