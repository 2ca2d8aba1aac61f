import { useSay } from '../language/language.tsx';
import { CodeText } from '../parts/code-text.tsx';
import type { Schema } from './read-document.ts';
import { textOf } from './read-document.ts';
import { kindText, limitsText, objectsIn, type Property, propertiesOf } from './read-schema.ts';

interface SchemaViewProps {
  readonly schema: Schema;
  /** Responses mark optional properties, requests mark required ones, because those are the exceptions. */
  readonly isAnswer?: boolean;
}

/** The properties of a request or response body, with nested objects. */
export function SchemaView({ schema, isAnswer = false }: SchemaViewProps) {
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
