import { type Say, useSay } from '../language/language.tsx';
import { CodeText } from '../parts/code-text.tsx';
import type { Parameter } from './read-document.ts';
import { kindText, limitsText } from './read-schema.ts';

export function ParameterList({ parameters }: { parameters: readonly Parameter[] }) {
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
