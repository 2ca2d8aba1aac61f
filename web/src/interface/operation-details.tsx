import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';

import { hob, isRefused } from '../api/hob.ts';
import { type Say, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { CodeText } from '../parts/code.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, inputClasses } from '../parts/field.tsx';
import { durationText } from '../parts/format.ts';
import { descriptionOf } from './operation-words.ts';
import {
  type Answer,
  addressOf,
  canTry,
  exampleCurl,
  kindText,
  limitsText,
  type Operation,
  objectsIn,
  type Parameter,
  type Property,
  propertiesOf,
  type Schema,
  textOf,
} from './read-document.ts';

/** The full documentation of an operation. */
export function OperationDetails({
  operation,
  asksForToken,
}: {
  operation: Operation;
  asksForToken: boolean;
}) {
  const say = useSay();
  const { parameters, bodies, answers } = operation;
  const description = descriptionOf(operation, say);
  const curl = exampleCurl(operation, { base: location.origin, asksForToken });
  return (
    <div className="flex flex-col gap-5 border-t border-line bg-canvas px-4 py-4 md:pl-11">
      {description !== '' && (
        <p lang={description === operation.description ? 'en' : undefined} className="max-w-prose">
          <CodeText text={description} />
        </p>
      )}
      <div className="flex items-start gap-2 rounded-lg border border-line bg-surface py-1 pr-1 pl-3">
        <code className="min-w-0 grow py-1.5 font-mono text-xs wrap-anywhere">{curl}</code>
        <CopyButton text={curl} label={say('Copy command', '复制命令')} />
      </div>
      {parameters.length > 0 && (
        <Part title={say('Parameters', '参数')}>
          <ParameterList parameters={parameters} />
        </Part>
      )}
      {bodies.map(({ type, schema }) => (
        <Part key={type} title={say('Request body', '请求体')} note={type}>
          <SchemaView schema={schema} />
        </Part>
      ))}
      <Part title={say('Responses', '应答')}>
        <div className="flex flex-col gap-2">
          {answers.map((answer) => (
            <AnswerView key={answer.status} answer={answer} />
          ))}
        </div>
      </Part>
      <TryIt operation={operation} />
    </div>
  );
}

function Part({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <div>
      <h4 className="mb-1.5 font-medium">
        {title}{' '}
        {note !== undefined && <code className="font-mono text-xs font-normal text-muted">{note}</code>}
      </h4>
      {children}
    </div>
  );
}

/** Successful responses are open. Errors are closed, because they look almost the same everywhere. */
function AnswerView({ answer: { status, description, contents } }: { answer: Answer }) {
  return (
    <details open={status.startsWith('2')} className="rounded-lg border border-line bg-surface">
      <summary className="cursor-pointer rounded-lg px-3 py-1.5">
        <code className={status.startsWith('2') ? 'font-mono text-good' : 'font-mono text-bad'}>
          {status}
        </code>{' '}
        <span lang="en" className="text-[13px]">
          <CodeText text={description} />
        </span>
      </summary>
      {contents.map(({ type, schema }) => (
        <div key={type} className="px-3 pb-3">
          {type !== 'application/json' && <p className="mb-1 font-mono text-xs text-muted">{type}</p>}
          <SchemaView schema={schema} isAnswer />
        </div>
      ))}
    </details>
  );
}

function ParameterList({ parameters }: { parameters: readonly Parameter[] }) {
  const say = useSay();
  return (
    <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
      {parameters.map(({ name, place, isRequired, description, schema }) => (
        <li key={`${place} ${name}`} className="px-3 py-1.5">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono text-[13px] font-medium wrap-anywhere">{name}</code>
            <span className="text-xs text-muted">
              {placeWord(place, say)}
              {' · '}
              {kindText(schema, say)}
            </span>
            {isRequired && <span className="text-xs text-accent">{say('required', '必填')}</span>}
          </p>
          <Notes description={description} schema={schema} />
        </li>
      ))}
    </ul>
  );
}

function placeWord(place: Parameter['place'], say: Say): string {
  const words: Readonly<Record<Parameter['place'], string>> = {
    path: say('path', '路径'),
    query: say('query', '查询参数'),
    header: say('header', '请求头'),
  };
  return words[place];
}

interface SchemaViewProps {
  readonly schema: Schema;
  /** Responses mark optional properties, requests mark required ones, because those are the exceptions. */
  readonly isAnswer?: boolean;
}

/** The properties of a request or response body, with nested objects. */
function SchemaView({ schema, isAnswer = false }: SchemaViewProps) {
  const say = useSay();
  const objects = objectsIn(schema);
  if (objects.length === 0) return <p className="font-mono text-xs text-muted">{kindText(schema, say)}</p>;
  return (
    <div className="flex flex-col gap-3">
      {objects.map((object, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: alternatives have no names and keep their order
        <div key={index}>
          {objects.length > 1 && (
            <p lang="en" className="mb-1 text-xs text-muted">
              {index > 0 && say('or: ', '或：')}
              <CodeText text={textOf(object.description)} />
            </p>
          )}
          <ul className="flex flex-col divide-y divide-line rounded-lg border border-line">
            {propertiesOf(object).map((property) => (
              <PropertyRow key={property.name} property={property} isAnswer={isAnswer} />
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

function PropertyRow({ property, isAnswer }: { property: Property; isAnswer: boolean }) {
  const say = useSay();
  const { name, isRequired, schema } = property;
  const isNested = objectsIn(schema).some((object) => propertiesOf(object).length > 0);
  return (
    <li className="px-3 py-1.5">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-mono text-[13px] font-medium wrap-anywhere">{name}</code>
        <span className="text-xs text-muted wrap-anywhere">{kindText(schema, say)}</span>
        {isAnswer !== isRequired && (
          <span className="text-xs text-accent">
            {isAnswer ? say('optional', '可能没有') : say('required', '必填')}
          </span>
        )}
      </p>
      <Notes description={textOf(schema.description)} schema={schema} />
      {isNested && (
        <div className="mt-1.5 mb-1">
          <SchemaView schema={schema} isAnswer={isAnswer} />
        </div>
      )}
    </li>
  );
}

/** The description and the limits of a value, as far as it has them. */
function Notes({ description, schema }: { description: string; schema: Schema }) {
  const limits = limitsText(schema, useSay());
  return (
    <>
      {description !== '' && (
        <p lang="en" className="text-[13px] text-muted">
          <CodeText text={description} />
        </p>
      )}
      {limits !== '' && <p className="font-mono text-xs text-muted wrap-anywhere">{limits}</p>}
    </>
  );
}

/** Longer texts slow down the browser. */
const mostShown = 50_000;

/** Calls an operation for real. Only operations that change nothing and whose response ends can be tried. */
function TryIt({ operation }: { operation: Operation }) {
  const say = useSay();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const ask = useMutation({
    mutationFn: async () => {
      const beganMs = performance.now();
      // With `wait` the response may take as long as the user asked for.
      const answer = await hob.open('GET', addressOf(operation, values));
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
          {isRefused(ask.error) && ask.error.status}
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
