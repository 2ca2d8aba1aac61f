import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleDashed } from 'lucide-react';
import { Link } from 'wouter';

import { runtimesQuery } from '../api/queries.ts';
import type { Runtime } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { Panel } from '../parts/panel.tsx';

const address = /(https:\/\/[^\s()，。]+)/;

/** The language runtimes: missing ones that a script needs first, unused missing ones last. */
export function RuntimeList() {
  const say = useSay();
  const { data, error, refetch } = useQuery(runtimesQuery);
  return (
    <Panel title={say('Runtimes', '语言运行时')}>
      {data === undefined ? (
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {data.items
            .toSorted((a, b) => rankOf(a) - rankOf(b))
            .map((runtime) => (
              <RuntimeRow key={runtime.language} runtime={runtime} />
            ))}
        </ul>
      )}
    </Panel>
  );
}

function rankOf({ path, needed_by: users }: Runtime): number {
  if (path === null) return users.length > 0 ? 0 : 2;
  return 1;
}

const mostNamed = 3;

function RuntimeRow({ runtime }: { runtime: Runtime }) {
  const say = useSay();
  const { language, version, path, install, needed_by: users } = runtime;
  const isLacking = path === null && users.length > 0;
  return (
    <li className="flex gap-3 py-2">
      {path !== null ? (
        <CircleCheck
          size={17}
          role="img"
          aria-label={say('Found', '已找到')}
          className="mt-0.5 shrink-0 text-good"
        />
      ) : isLacking ? (
        <CircleAlert
          size={17}
          role="img"
          aria-label={say('Missing', '缺失')}
          className="mt-0.5 shrink-0 text-bad"
        />
      ) : (
        <CircleDashed
          size={17}
          role="img"
          aria-label={say('Not installed', '未安装')}
          className="mt-0.5 shrink-0 text-muted"
        />
      )}
      <div className="min-w-0 grow">
        <p className="flex flex-wrap gap-x-2">
          <span className="font-medium">{language}</span>
          {version !== null && <span className="tabular-nums">{version}</span>}
          {isLacking && <span className="text-bad">{say('not installed', '未安装')}</span>}
          {users.length > 0 && <Users runtime={runtime} />}
        </p>
        {path !== null && <p className="font-mono text-xs break-all text-muted">{path}</p>}
        {install !== null && (
          <p className="text-[13px] break-words text-muted">
            <LinkedText text={install} />
          </p>
        )}
      </div>
    </li>
  );
}

function Users({ runtime: { path, needed_by: users } }: { runtime: Runtime }) {
  const say = useSay();
  if (path !== null)
    return (
      <span className="text-muted">
        {say(users.length === 1 ? '1 script' : `${users.length} scripts`, `${users.length} 个脚本`)}
      </span>
    );
  const rest = users.length - mostNamed;
  return (
    <span className="text-muted">
      {say('required by ', '以下脚本需要：')}
      {users.slice(0, mostNamed).map(({ script_id, script_name }, index) => (
        <span key={script_id}>
          {index > 0 && say(', ', '、')}
          <Link href={`/scripts/${script_id}`} className="text-ink underline underline-offset-2">
            {script_name}
          </Link>
        </span>
      ))}
      {rest > 0 && say(` and ${rest} more`, ` 等 ${users.length} 个`)}
    </span>
  );
}

/** Turns the URLs in a text into links. */
function LinkedText({ text }: { text: string }) {
  return text.split(address).map((piece) =>
    address.test(piece) ? (
      <a
        key={piece}
        href={piece}
        target="_blank"
        rel="noreferrer"
        className="break-all text-accent underline underline-offset-2"
      >
        {piece}
      </a>
    ) : (
      piece
    ),
  );
}
