import type { ReactNode } from 'react';

import { type Say, useSay } from '../language/language.tsx';
import { CodeText } from '../parts/code.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { descriptionOf } from './operation-words.ts';
import {
  type Answer,
  fieldsOf,
  kindText,
  limitsText,
  listOf,
  type Operation,
  objectsIn,
  type Parameter,
  type Property,
  propertiesOf,
  type Schema,
  textOf,
} from './read-document.ts';

import { TryIt } from './try-it.tsx';

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
      {parameters.map(({ name, place, isRequired, description, schema }) => {
        const limits = limitsText(schema, say);
        return (
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
            {description !== '' && (
              <p lang="en" className="text-[13px] text-muted">
                <CodeText text={description} />
              </p>
            )}
            {limits !== '' && <p className="font-mono text-xs text-muted wrap-anywhere">{limits}</p>}
          </li>
        );
      })}
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

/** A curl command that calls an operation with its required parameters. */
export function exampleCurl(
  { method, path, parameters, bodies, answers }: Operation,
  { base, asksForToken }: { base: string; asksForToken: boolean },
): string {
  const needed = parameters.filter(({ place, isRequired }) => place === 'query' && isRequired);
  const query = needed.map(({ name }) => `${name}=<${name}>`).join('&');
  const address = `${base}${path.replace(/\{(\w+)\}/g, '<$1>')}${query === '' ? '' : `?${query}`}`;
  const json = bodies.find(({ type }) => type === 'application/json');
  const isStream = answers.some(({ contents }) => contents.some(({ type }) => type === 'text/event-stream'));
  return [
    isStream ? 'curl -N' : 'curl -sS',
    method !== 'GET' && (method !== 'POST' || json === undefined) && `-X ${method}`,
    asksForToken && '-H "Authorization: Bearer $(hob token)"',
    json !== undefined && "-H 'Content-Type: application/json'",
    json !== undefined && `-d '${JSON.stringify(exampleOf(json.schema))}'`,
    `'${address}'`,
  ]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

/** Sample values for the required properties of an object, or for the first property if none is required. */
function exampleOf(schema: Schema): Record<string, unknown> {
  const all = propertiesOf(schema);
  const required = all.filter(({ isRequired }) => isRequired);
  const chosen = required.length > 0 ? required : all.slice(0, 1);
  return Object.fromEntries(chosen.map(({ name, schema: value }) => [name, sampleOf(name, value)]));
}

function sampleOf(name: string, schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  const [choice] = listOf(schema.enum);
  if (choice !== undefined) return choice;
  const [form] = listOf(schema.anyOf);
  if (form !== undefined) return sampleOf(name, fieldsOf(form));
  const values: Readonly<Record<string, unknown>> = {
    integer: 0,
    number: 0,
    boolean: true,
    array: [],
    object: {},
  };
  return values[textOf(schema.type)] ?? `<${name}>`;
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
  const limits = limitsText(schema, say);
  const description = textOf(schema.description);
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
      {description !== '' && (
        <p lang="en" className="text-[13px] text-muted">
          <CodeText text={description} />
        </p>
      )}
      {limits !== '' && <p className="font-mono text-xs text-muted wrap-anywhere">{limits}</p>}
      {isNested && (
        <div className="mt-1.5 mb-1">
          <SchemaView schema={schema} isAnswer={isAnswer} />
        </div>
      )}
    </li>
  );
}
