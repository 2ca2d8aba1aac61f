import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import { openAnswer, RefusedError } from '../api/call-service.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, inputClasses } from '../parts/field.tsx';

import { durationText } from '../parts/format.ts';
import type { Operation } from './read-document.ts';

/** Longer texts slow down the browser. */
const mostShown = 50_000;

/** Calls an operation for real. Only operations that change nothing and whose response ends can be tried. */
export function TryIt({ operation }: { operation: Operation }) {
  const say = useSay();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const ask = useMutation({
    mutationFn: async () => {
      const beganMs = performance.now();
      // With `wait` the response may take as long as the user asked for.
      const answer = await openAnswer(addressOf(operation, values), { limitMs: Number.POSITIVE_INFINITY });
      return { text: await answer.text(), status: answer.status, tookMs: performance.now() - beganMs };
    },
  });
  if (!canTry(operation)) return null;
  const fields = operation.parameters.filter(({ place }) => place !== 'header');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3">
      {fields.length > 0 && (
        <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {fields.map(({ name, place, isRequired }) => (
            <Field
              key={`${place} ${name}`}
              label={<code className="font-mono text-[13px]">{name}</code>}
              isRequired={isRequired}
            >
              {({ id }) => (
                <input
                  id={id}
                  required={isRequired}
                  autoComplete="off"
                  spellCheck={false}
                  value={values[name] ?? ''}
                  onChange={({ target }) => setValues({ ...values, [name]: target.value })}
                  className={inputClasses}
                />
              )}
            </Field>
          ))}
        </div>
      )}
      <div className="flex items-center gap-3">
        <Button type="submit" size="small" disabled={ask.isPending}>
          <Play size={14} aria-hidden />
          {say('Try it', '试一试')}
        </Button>
        <output className="text-[13px] text-muted tabular-nums">
          {ask.data && `${ask.data.status} · ${durationText(ask.data.tookMs)}`}
          {ask.error instanceof RefusedError && ask.error.status}
        </output>
      </div>
      {ask.error && <Failure error={ask.error} />}
      {ask.data && <AnswerText text={ask.data.text} />}
    </form>
  );
}

function AnswerText({ text }: { text: string }) {
  const say = useSay();
  const { shown, isCut } = shownText(text);
  return (
    <div className="relative">
      {/* Reachable by keyboard, since it scrolls. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable */}
      <pre tabIndex={0} className="max-h-96 overflow-auto rounded-lg bg-hover p-3 pr-12 font-mono text-xs">
        {shown}
        {isCut && `\n${say('… Use Copy to get the full response', '……内容过长，复制可得全文')}`}
      </pre>
      <div className="absolute top-1 right-3">
        <CopyButton text={text} />
      </div>
    </div>
  );
}

/** Whether an operation changes nothing and its response ends. */
export function canTry({ method, answers }: Operation): boolean {
  const isStream = answers.some(({ contents }) => contents.some(({ type }) => type === 'text/event-stream'));
  return method === 'GET' && !isStream;
}

/** The URL with the entered values. Empty values are not sent. */
export function addressOf({ path, parameters }: Operation, values: Readonly<Record<string, string>>): string {
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]?.trim() ?? ''));
  const query = new URLSearchParams(
    parameters
      .filter(({ place, name }) => place === 'query' && (values[name] ?? '') !== '')
      .map(({ name }) => [name, values[name] ?? '']),
  ).toString();
  return query === '' ? at : `${at}?${query}`;
}

/** A response in readable form: JSON is indented. */
function shownText(text: string): { shown: string; isCut: boolean } {
  const pretty = prettyJson(text) ?? text;
  return { shown: pretty.slice(0, mostShown), isCut: pretty.length > mostShown };
}

function prettyJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
