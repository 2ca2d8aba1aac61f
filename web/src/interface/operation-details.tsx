import type { ReactNode } from 'react';

import { useSay } from '../language/language.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { exampleCurl } from './example-curl.ts';
import { descriptionOf } from './operation-descriptions.ts';
import { ParameterList } from './parameter-list.tsx';
import type { Answer, Operation } from './read-document.ts';
import { SchemaView } from './schema-view.tsx';
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
