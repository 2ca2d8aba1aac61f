import { useMutation, useQuery } from '@tanstack/react-query';
import { Code, History, Play, RotateCcw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link, useLocation, useSearch } from 'wouter';

import { hob, isRefused } from '../api/hob.ts';
import { runQuery } from '../api/queries.ts';
import type { Accepted, Run, Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { readChoice, writeChoice } from '../parts/browser-memory.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { useCtrlEnter } from '../parts/keys.ts';
import { Loading } from '../parts/loading.tsx';
import { Ago } from '../parts/time.tsx';
import { type Draft, draftOf } from './form/draft.ts';
import { MainInputField } from './form/main-input-field.tsx';
import {
  type FieldErrors,
  type FormValues,
  fieldErrorAt,
  inputField,
  type MadeCall,
  makeCall,
  noValues,
  type RunCall,
  refusedField,
  valuesOfRun,
} from './form/make-call.ts';
import { ParamField } from './form/param-field.tsx';
import { type FieldError, missing } from './form/read-draft.ts';
import { type Drafts, draftIn, shownParams } from './form/shown-params.ts';
import { SnippetDialog } from './snippets/snippet-dialog.tsx';

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

/** The form that runs a script. */
function RunFormPanel({ script, first }: { script: Script; first: FormValues }) {
  const say = useSay();
  const [, navigate] = useLocation();
  const form = useRunForm(script, first);
  const { values, fieldErrors, setFieldErrors } = form;
  const fields = useRef<HTMLFormElement>(null);
  const [shownCall, setShownCall] = useState<RunCall | null>(null);

  /** Focuses the first field with an error. */
  const focusFirst = (wrong: FieldErrors) => {
    const controls = [...(fields.current?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
    controls.find(({ dataset }) => dataset.field !== undefined && wrong.has(dataset.field))?.focus();
  };
  const run = useMutation({
    mutationFn: (call: RunCall) => hob.request<Accepted>('POST', '/api/execute', { body: call }),
    onSuccess: ({ run_id }) => {
      rememberValues(script, values);
      navigate(`/runs/${run_id}`);
    },
    onError: (error) => {
      const field = isRefused(error) ? refusedField(error.message, script) : null;
      if (field === null) return;
      const wrong = new Map([[field, { en: error.message, zh: error.message }]]);
      flushSync(() => setFieldErrors(wrong));
      focusFirst(wrong);
    },
  });
  /** Returns the call, or focuses the first error and returns null. */
  const checked = (options?: { secretsLater: boolean }) => {
    const made = flushSync(() => form.check(options));
    if ('call' in made) return made.call;
    focusFirst(made.fieldErrors);
    return null;
  };
  const start = () => {
    if (run.isPending) return;
    const call = checked();
    if (call !== null) run.mutate(call);
  };
  useCtrlEnter(start);

  const isAtField = run.error !== null && fieldErrors.size > 0;
  const hasFields = script.input !== null || script.params.length > 0;
  return (
    <form
      ref={fields}
      noValidate
      aria-label={say('Run script', '运行脚本')}
      onSubmit={(event) => event.preventDefault()}
      onBlur={({ target, relatedTarget }) => {
        // Buttons check the form themselves. An error message here would move the button away before the click.
        if (relatedTarget instanceof HTMLButtonElement || !(target instanceof HTMLElement)) return;
        if (target.dataset.field !== undefined) form.leave(target.dataset.field);
      }}
      // The scroll margin keeps focused fields clear of the bar at the bottom.
      className="rounded-xl border border-line bg-surface **:data-field:scroll-my-32"
    >
      <div className="flex flex-col gap-5 p-4 md:p-5">
        {!hasFields && (
          <p className="text-muted">
            {say('This script needs no input. Select Run to start it.', '无需任何输入，直接运行即可。')}
          </p>
        )}
        {script.input !== null && (
          <MainInputField
            input={script.input}
            text={values.input}
            fieldError={fieldErrors.get(inputField)}
            onChange={form.setInput}
          />
        )}
        {shownParams(script.params, values.drafts).map((param) => (
          <ParamField
            key={param.name}
            param={param}
            draft={draftIn(values.drafts, param)}
            fieldError={fieldErrors.get(param.name)}
            onChange={(draft) => form.setDraft(param.name, draft)}
          />
        ))}
        {run.error !== null && !isAtField && <Failure error={run.error} />}
      </div>
      <div className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-b-xl border-t border-line bg-surface p-3 max-md:bottom-14 md:px-5">
        <Button look="primary" disabled={run.isPending} onClick={start} aria-keyshortcuts="Control+Enter">
          <Play size={15} aria-hidden />
          {say('Run', '运行')}
          <kbd className="ml-1 hidden font-mono text-xs font-normal md:inline">Ctrl ↵</kbd>
        </Button>
        {form.isChanged && (
          <Button look="quiet" onClick={form.reset}>
            <RotateCcw size={15} aria-hidden />
            {say('Reset to defaults', '恢复默认值')}
          </Button>
        )}
        <Button
          look="quiet"
          className="ml-auto"
          onClick={() => setShownCall(checked({ secretsLater: true }))}
        >
          <Code size={16} aria-hidden />
          <span className="max-sm:sr-only">{say('Copy as code', '复制为代码')}</span>
        </Button>
      </div>
      <SnippetDialog call={shownCall} params={script.params} onClose={() => setShownCall(null)} />
    </form>
  );
}

const nothingWrong: FieldErrors = new Map();

interface RunForm {
  readonly values: FormValues;
  readonly fieldErrors: FieldErrors;
  /** Whether any value differs from its default. */
  readonly isChanged: boolean;
  readonly setInput: (text: string) => void;
  readonly setDraft: (name: string, draft: Draft) => void;
  /** Checks a field when it loses the focus. */
  readonly leave: (field: string) => void;
  readonly reset: () => void;
  /** Checks the whole form and shows all errors. */
  readonly check: (options?: { readonly secretsLater: boolean }) => MadeCall;
  readonly setFieldErrors: (fieldErrors: FieldErrors) => void;
}

/** The state of a script form. Entered values are stored in the browser as they change. */
function useRunForm(script: Script, first: FormValues): RunForm {
  const [{ values, isTouched }, setForm] = useState({ values: first, isTouched: false });
  const [fieldErrors, setErrors] = useState(nothingWrong);
  useEffect(() => {
    // Filling in the values of a run must not overwrite the stored ones until the user edits them.
    if (isTouched) rememberValues(script, values);
  }, [script, values, isTouched]);

  const settle = (field: string, fieldError: FieldError | null) => {
    setErrors((all) => {
      const others = [...all].filter(([name]) => name !== field);
      return new Map(fieldError === null ? others : [...others, [field, fieldError]]);
    });
  };
  const change = (field: string, changed: FormValues) => {
    setForm({ values: changed, isTouched: true });
    // Update a shown error while the user corrects the field.
    if (fieldErrors.has(field)) settle(field, fieldErrorAt(script, changed, field));
  };
  return {
    values,
    fieldErrors,
    isChanged: values.input !== '' || Object.keys(values.drafts).length > 0,
    setInput: (input) => change(inputField, { ...values, input }),
    setDraft(name, draft) {
      const param = script.params.find((each) => each.name === name);
      const isDefault = param !== undefined && draftOf(param, param.default) === draft;
      const { [name]: _, ...others } = values.drafts;
      // A value equal to the default is not stored, so that it follows changes of the manifest.
      change(name, { ...values, drafts: isDefault ? others : { ...others, [name]: draft } });
    },
    leave(field) {
      const fieldError = fieldErrorAt(script, values, field);
      // Do not report empty fields yet, because the user may return to them.
      if (fieldError !== null && fieldError !== missing) settle(field, fieldError);
    },
    reset() {
      setForm({ values: noValues, isTouched: true });
      setErrors(nothingWrong);
    },
    check(options) {
      const made = makeCall(script, values, options);
      setErrors('fieldErrors' in made ? made.fieldErrors : nothingWrong);
      return made;
    },
    setFieldErrors: setErrors,
  };
}

type Shape = Pick<Script, 'id' | 'params'>;

/** Larger values are not stored, to leave room for other scripts. */
const mostCharacters = 100_000;

/** The last entered values of a script, for the fields that it still has. */
function recallValues(script: Shape): FormValues {
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
function rememberValues(script: Shape, { input, drafts }: FormValues): void {
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
