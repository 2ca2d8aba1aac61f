import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearch } from 'wouter';

import { runQuery } from '../api/queries.ts';
import type { Run, Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { Ago } from '../parts/time.tsx';
import { type Draft, draftOf, linesOf } from './form/draft.ts';
import type { FormValues } from './form/make-call.ts';
import { recallValues } from './form/remembered-values.ts';
import { RunFormPanel } from './form/run-form-panel.tsx';
import { isSame } from './form/shown-params.ts';

/** The form values of a run, and the parts of its input that the form cannot show. */
interface RunValues {
  readonly values: FormValues;
  /** Labels of the secrets of the run, which are not stored. */
  readonly secrets: readonly string[];
  /** Names that the script does not declare (any more). */
  readonly leftOut: readonly string[];
}

/** The form with the last entered values, or with the values of a run if the URL has `?from=`. */
export function FilledForm({ script }: { script: Script }) {
  const from = new URLSearchParams(useSearch()).get('from');
  // Keyed by run, so that only another run fills the form again.
  return from === null ? (
    <RecalledForm script={script} />
  ) : (
    <FormOfRun key={from} script={script} runId={from} />
  );
}

function RecalledForm({ script }: { script: Script }) {
  const [first] = useState(() => recallValues(script));
  return <RunFormPanel script={script} first={first} />;
}

function FormOfRun({ script, runId }: { script: Script; runId: string }) {
  const { data: run, error } = useQuery(runQuery(runId));
  if (run !== undefined && run.script_id === script.id) return <FormLikeRun script={script} run={run} />;
  if (run === undefined && error === null) return <Loading />;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {error === null ? <OtherScript /> : <Failure error={error} />}
      <RecalledForm script={script} />
    </div>
  );
}

function OtherScript() {
  const say = useSay();
  return (
    <p role="alert" className="rounded-xl bg-warn-ground px-4 py-2.5 text-warn">
      {say('That run belongs to another script, so its values are not filled in', '那是另一个脚本的运行')}
    </p>
  );
}

function FormLikeRun({ script, run }: { script: Script; run: Run }) {
  const say = useSay();
  const [{ values, secrets, leftOut }] = useState(() => valuesOfRun(script, run));
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="rounded-xl bg-busy-ground px-4 py-2.5">
        <p className="flex flex-wrap items-center gap-x-2 text-busy">
          <History size={16} aria-hidden className="shrink-0" />
          <Link href={`/runs/${run.run_id}`} className="underline underline-offset-2">
            {say('Filled in from a run', '已按一次运行填写')}
          </Link>
          <Ago time={run.queued_at} />
        </p>
        {secrets.length > 0 && (
          <p className="mt-1">
            {say('Secrets are not stored. Enter them again: ', '密文不会保存，请重新输入：')}
            {secrets.join(say(', ', '、'))}
          </p>
        )}
        {leftOut.length > 0 && (
          <p className="mt-1 break-words">
            {say('Not filled in because the script does not declare it: ', '脚本未声明，未填入：')}
            {leftOut.join(say(', ', '、'))}
          </p>
        )}
      </div>
      <RunFormPanel script={script} first={values} />
    </div>
  );
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
