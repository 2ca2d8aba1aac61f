import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link, useLocation } from 'wouter';

import { hob } from '../../api/hob.ts';
import { triggerQuery } from '../../api/queries.ts';
import type { Script, Trigger, TriggerChecked } from '../../api/wire.ts';
import { useSay } from '../../language/language.tsx';
import { Button, buttonClasses } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, inputClasses } from '../../parts/field.tsx';
import { useCtrlEnter } from '../../parts/keys.ts';
import { Panel } from '../../parts/panel.tsx';
import { type FieldErrors, inputField } from '../../script/form/make-call.ts';
import { findScripts } from '../../scripts/find-scripts.ts';
import { ScriptIcon } from '../../scripts/script-icon.tsx';
import { WebhookAddress } from '../webhook-address.tsx';
import { kindName, triggerPath } from '../words-of-triggers.ts';
import { FolderFields } from './folder-fields.tsx';
import { type FormPart, TextSetting } from './form-part.tsx';
import { PickOne } from './pick-one.tsx';
import { RunInputs } from './run-inputs.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import {
  draftOfFields,
  fieldsOfDraft,
  freeId,
  type Origin,
  scriptNamed,
  type TriggerDraft,
} from './trigger-draft.ts';
import { TriggerPreview } from './trigger-preview.tsx';
import { type NewSecret, WebhookFields } from './webhook-fields.tsx';

interface TriggerFormProps {
  /** The trigger to change; null for a new one. */
  readonly known: Trigger | null;
  readonly first: TriggerDraft;
  readonly origin: Origin;
  readonly scripts: readonly Script[];
  /** Ids that a new trigger cannot have. */
  readonly taken: ReadonlySet<string>;
  /** Called once a new secret is shown in place of the form. */
  readonly onSecretShown?: () => void;
}

/** The form of a trigger. The service checks it while the user types. */
export function TriggerForm({ onSecretShown, ...props }: TriggerFormProps) {
  const [stored, setStored] = useState<{ trigger: Trigger; secret: string } | null>(null);
  return stored === null ? (
    <Form
      {...props}
      onStored={(trigger, secret) => {
        setStored({ trigger, secret });
        onSecretShown?.();
      }}
    />
  ) : (
    <WebhookStored {...stored} />
  );
}

/** The last step of a webhook with a new secret: what its sender needs. */
function WebhookStored({ trigger, secret }: { trigger: Trigger; secret: string }) {
  const say = useSay();
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <output className="font-medium">{say(`${trigger.id} is stored.`, `已保存 ${trigger.id}。`)}</output>
      <WebhookAddress trigger={trigger} secret={secret} />
      <Link href={triggerPath(trigger.id)} className={`${buttonClasses('primary')} self-start`}>
        {say('Done', '完成')}
      </Link>
    </div>
  );
}

interface FormProps extends Omit<TriggerFormProps, 'onSecretShown'> {
  /** Called after a webhook was stored together with a new secret. */
  readonly onStored: (trigger: Trigger, secret: string) => void;
}

function Form({ known, first, origin: firstOrigin, scripts, taken, onStored }: FormProps) {
  const say = useSay();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const fieldset = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(first);
  const [newSecret, setNewSecret] = useState<NewSecret | null>(null);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [isTried, setTried] = useState(false);

  const script = scriptNamed(scripts, draft.script);
  const isOtherScript = script !== null && script !== scriptNamed(scripts, first.script);
  const { data: _, params: __, ...written } = firstOrigin.written;
  const origin = isOtherScript ? { written, suggestion: null } : firstOrigin;
  const preset = script === null ? '' : freeId(script.slug, origin.suggestion?.name ?? draft.kind, taken);
  const id = known?.id ?? (draft.id || preset);
  const secretName = newSecret === null ? null : newSecret.name || id;
  const complete = secretName === null ? draft : { ...draft, texts: { ...draft.texts, secret: secretName } };
  const { fields, fieldErrors } = fieldsOfDraft(complete, script, origin);

  const body = JSON.stringify({ ...(id !== '' && { id }), ...fields });
  const check = useQuery({ ...checkQuery(useSettled(body)), enabled: script !== null || known !== null });
  const problems = problemsIn(check.data, newSecret !== null);
  const own: Readonly<Record<string, string>> = {
    ...(known === null && taken.has(id) && { id: say('Another trigger has this id', '已有触发器使用此 id') }),
    ...(newSecret?.value === '' && { value: say('Type or generate a value', '请输入或生成一个值') }),
    ...(script === null && known === null && { script: say('Choose a script', '请选择脚本') }),
  };
  const errorOf = (field: string) => {
    if (!isTried && !touched.has(field)) return null;
    const problem = problems.find((one) => one.field === field);
    return own[field] ?? (problem === undefined ? null : `${problem.message}. ${problem.advice}`);
  };

  const save = useMutation({
    mutationFn: async () => {
      if (newSecret !== null && secretName !== null)
        await hob.request('PUT', `/api/secrets/${secretName}`, { body: { value: newSecret.value } });
      return hob.request<Trigger>('PUT', `/api${triggerPath(id)}`, {
        body: fields,
        ...(known === null && { headers: { 'if-none-match': '*' }, isRepeatable: false }),
      });
    },
    onSuccess: (trigger) => {
      client.setQueryData(triggerQuery(id).queryKey, trigger);
      void client.invalidateQueries({ queryKey: ['triggers'] });
      void client.invalidateQueries({ queryKey: ['secrets'] });
      if (newSecret === null) navigate(triggerPath(id));
      else onStored(trigger, newSecret.value);
    },
  });
  const submit = async () => {
    if (save.isPending) return;
    const checked = await client.fetchQuery(checkQuery(body)).catch(() => undefined);
    flushSync(() => setTried(true));
    const wrong = new Set([
      ...Object.keys(own),
      ...fieldErrors.keys(),
      ...problemsIn(checked, newSecret !== null).map(({ field }) => field ?? ''),
    ]);
    // Without an answer of the check, the service reports the mistakes when it stores the trigger.
    if (wrong.size === 0) return save.mutate();
    const controls = [...(fieldset.current?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
    controls.find(({ dataset }) => wrong.has(dataset.field ?? ' '))?.focus();
  };
  useCtrlEnter(() => void submit());

  const touch = (field: string) => setTouched((all) => (all.has(field) ? all : new Set([...all, field])));
  const part: FormPart = {
    draft,
    errorOf,
    change(field, some) {
      touch(field);
      setDraft((was) => ({ ...was, ...some }));
    },
  };
  return (
    <form
      ref={fieldset}
      noValidate
      aria-label={say('Trigger', '触发器')}
      onSubmit={(event) => event.preventDefault()}
      onBlur={({ target, relatedTarget }) => {
        // A mistake that appears above a button would move it away before the click.
        if (relatedTarget instanceof HTMLButtonElement || !(target instanceof HTMLElement)) return;
        if (target instanceof HTMLInputElement && target.dataset.field) touch(target.dataset.field);
      }}
      className="grid items-start gap-5 **:data-field:scroll-my-32 lg:grid-cols-[minmax(0,1fr)_20rem]"
    >
      <div className="flex min-w-0 flex-col gap-5">
        <Panel title={say('Script', '脚本')}>
          <div className="grid gap-4 sm:grid-cols-2">
            <PickOne
              label={say('Script to run', '要运行的脚本')}
              field="script"
              isRequired
              shown={script?.name ?? (draft.script || say('Choose a script…', '请选择脚本……'))}
              chosen={script?.slug ?? ''}
              error={errorOf('script')}
              find={(text) =>
                findScripts(scripts, text)
                  .slice(0, mostScripts)
                  .map((one) => ({
                    value: one.slug,
                    name: one.name,
                    icon: <ScriptIcon script={one} isSmall />,
                  }))
              }
              onChoose={(slug) => {
                const { values } = draftOfFields(draft.kind, {}, scriptNamed(scripts, slug));
                part.change('script', { script: slug, values });
              }}
            />
            <Field label="Id" error={errorOf('id')} isRequired>
              {({ id: control, describedBy, isInvalid }) => (
                <input
                  id={control}
                  value={id}
                  readOnly={known !== null}
                  data-field="id"
                  autoComplete="off"
                  spellCheck={false}
                  aria-describedby={describedBy}
                  aria-invalid={isInvalid}
                  onChange={({ target }) => part.change('id', { id: target.value.trim() })}
                  className={`${inputClasses} read-only:bg-hover`}
                />
              )}
            </Field>
          </div>
        </Panel>
        <Panel title={kindName(draft.kind, say)}>
          <div className="flex flex-col gap-4">
            {draft.kind === 'schedule' && <ScheduleFields {...part} />}
            {draft.kind === 'folder' && <FolderFields {...part} script={script} />}
            {draft.kind === 'webhook' && (
              <WebhookFields {...part} triggerId={id} newSecret={newSecret} onNewSecret={setNewSecret} />
            )}
          </div>
        </Panel>
        <RunInputs part={part} script={script} fieldErrors={isTried ? fieldErrors : null} />
        <Panel title={say('If a run fails', '运行失败时')}>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextSetting
              part={part}
              name="attempts"
              field="retries.attempts"
              label={say('Attempts', '尝试次数')}
              description={say('Including the first one', '包括第一次')}
              placeholder={String(script?.retries?.attempts ?? 1)}
            />
            <TextSetting
              part={part}
              name="backoff"
              field="retries.backoff"
              label={say('Wait before the second attempt', '第二次尝试前等待')}
              description={say('Each further wait is twice as long', '之后每次等待时间加倍')}
              placeholder={`${script?.retries?.backoff_s ?? 10}s`}
            />
          </div>
        </Panel>
      </div>
      <TriggerPreview
        draft={draft}
        checked={check.data}
        error={check.error}
        problems={
          isTried
            ? problems.filter(
                ({ field }) => !hasControl(fieldset.current, field) && !isShownAtValue(fieldErrors, field),
              )
            : []
        }
      />
      <div className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-xl border border-line bg-surface p-3 max-md:bottom-14 lg:col-span-2">
        {save.error !== null && (
          <div className="basis-full">
            <Failure error={save.error} />
          </div>
        )}
        <Button
          look="primary"
          isBusy={save.isPending}
          onClick={() => void submit()}
          aria-keyshortcuts="Control+Enter"
        >
          {known === null ? say('Create trigger', '创建触发器') : say('Save', '保存')}
          <kbd className="ml-1 hidden font-mono text-xs font-normal md:inline">Ctrl ↵</kbd>
        </Button>
        <Link href={known === null ? '/triggers' : triggerPath(known.id)} className={buttonClasses('quiet')}>
          {say('Cancel', '取消')}
        </Link>
      </div>
    </form>
  );
}

const mostScripts = 50;

/** The effect of the fields, as the service sees it. The next times change with the clock. */
const checkQuery = (body: string) =>
  queryOptions({
    queryKey: ['trigger-check', body],
    queryFn: ({ signal }) =>
      hob.request<TriggerChecked>('POST', '/api/triggers/check', { body: JSON.parse(body), signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
    staleTime: 0,
    gcTime: 0,
  });

/** A new secret is stored together with the trigger, so it is missing until then. */
function problemsIn(checked: TriggerChecked | undefined, hasNewSecret: boolean) {
  return checked?.problems.filter(({ field }) => !(hasNewSecret && field === 'secret')) ?? [];
}

function hasControl(form: HTMLFormElement | null, field: string | null): boolean {
  return field !== null && form?.querySelector(`[data-field="${CSS.escape(field)}"]`) != null;
}

/** Whether the form itself shows a mistake in the main input or a param beside its control. */
function isShownAtValue(errors: FieldErrors, field: string | null): boolean {
  const [part, name = ''] = field?.split('.') ?? [];
  return part === 'data' ? errors.has(inputField) : part === 'params' && errors.has(name);
}

const settledMs = 250;

/** A text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settledMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
