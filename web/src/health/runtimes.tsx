import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleDashed, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';

import { hob } from '../api/hob.ts';
import { useLive } from '../api/live-events.tsx';
import { environmentsQuery, runtimesQuery } from '../api/queries.ts';
import { runIn } from '../api/run-events.ts';
import type { Environment, EnvironmentRemoved, Runtime } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Confirm } from '../parts/dialog.tsx';
import { messageOf, Pending } from '../parts/failure.tsx';
import { bytesText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { ScriptLinks } from '../parts/script-links.tsx';
import { Ago } from '../parts/time.tsx';
import { useToast } from '../parts/toasts.tsx';

const address = /(https:\/\/[^\s()，。]+)/;

/** The language runtimes: missing ones that a script needs first, unused missing ones last. */
export function RuntimeList() {
  const say = useSay();
  const { data, error, refetch } = useQuery(runtimesQuery);
  return (
    <Panel title={say('Runtimes', '语言运行时')}>
      {data === undefined ? (
        <Pending error={error} refetch={refetch} />
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
      <ScriptLinks scripts={users.slice(0, mostNamed)} />
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

/** The package environments on disk. */
export function EnvironmentList() {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const { subscribe } = useLive();
  const { data, error, refetch } = useQuery(environmentsQuery);
  useEffect(
    () =>
      subscribe((event) => {
        // Hob builds environments in runs with the origin `hob`.
        if (runIn(event)?.origin === 'hob') void client.invalidateQueries(environmentsQuery);
      }),
    [client, subscribe],
  );
  const remove = useMutation({
    mutationFn: ({ key }: Environment) =>
      hob.request<EnvironmentRemoved>('DELETE', `/api/environments/${encodeURIComponent(key)}`),
    onSuccess: ({ message, freed_bytes: freed }) => {
      const size = bytesText(freed);
      toast({ kind: 'success', title: message, message: say(`${size} freed`, `已释放 ${size}`) });
    },
    onError: (refusal) => toast({ kind: 'error', title: messageOf(refusal, say) }),
    onSettled: () => client.invalidateQueries(environmentsQuery),
  });
  const bytes = (data?.items ?? []).reduce((sum, each) => sum + each.bytes, 0);
  return (
    <Panel
      title={say('Environments', '运行环境')}
      note={
        bytes > 0
          ? say(`${bytesText(bytes)} on disk`, `占用磁盘 ${bytesText(bytes)}`)
          : say('Packages that scripts depend on, isolated from each other.', '脚本所需的依赖包，彼此隔离。')
      }
    >
      {data === undefined ? (
        <Pending error={error} refetch={refetch} />
      ) : data.items.length === 0 ? (
        <p className="text-muted">
          {say(
            'No environments. Hob creates one when a script that declares packages first runs.',
            '目前没有。声明了依赖包的脚本会在首次运行时创建。',
          )}
        </p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {data.items.map((environment) => (
            <EnvironmentRow
              key={environment.key}
              environment={environment}
              isBusy={remove.isPending}
              onRemove={() => remove.mutate(environment)}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface EnvironmentRowProps {
  readonly environment: Environment;
  readonly isBusy: boolean;
  readonly onRemove: () => void;
}

const inks = { ready: 'text-good', building: 'text-busy', damaged: 'text-bad' } as const;

function EnvironmentRow({ environment, isBusy, onRemove }: EnvironmentRowProps) {
  const say = useSay();
  const [isAsking, setAsking] = useState(false);
  const { state, bytes, scripts, requirements, used_at: usedAt } = environment;
  const name = nameOf(environment, say);
  return (
    <li className="flex items-start gap-3 py-2">
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium break-words">{name}</span>
          <span className="tabular-nums">{bytesText(bytes)}</span>
          <span className={classes('text-[13px]', inks[state])}>{stateWord(state, say)}</span>
          {usedAt !== null && (
            <span className="text-[13px] text-muted">
              {say('last used ', '上次使用：')}
              <Ago time={usedAt} />
            </span>
          )}
        </p>
        {requirements.length > 0 && (
          <p
            className="line-clamp-2 font-mono text-xs break-words text-muted"
            title={requirements.join('\n')}
          >
            {requirements.join(', ')}
          </p>
        )}
        <p className="text-[13px] text-muted">
          {scripts.length === 0 ? (
            say('not used by any script', '不再有脚本需要它')
          ) : (
            <ScriptLinks
              scripts={scripts.map(({ script_id, name: script_name }) => ({ script_id, script_name }))}
            />
          )}
        </p>
      </div>
      <IconButton
        label={say(`Remove environment ${name}`, `删除运行环境 ${name}`)}
        disabled={isBusy || state === 'building'}
        onClick={() => setAsking(true)}
      >
        <Trash2 size={16} aria-hidden />
      </IconButton>
      <Confirm
        isOpen={isAsking}
        title={say('Remove this environment?', '删除此运行环境？')}
        description={say(
          `This frees ${bytesText(bytes)}. Hob rebuilds the environment when a script needs it, which takes a while.`,
          `将释放 ${bytesText(bytes)}。脚本需要时会重新创建，需要一些时间。`,
        )}
        action={say('Remove', '删除')}
        onConfirm={onRemove}
        onClose={() => setAsking(false)}
      />
    </li>
  );
}

function nameOf({ made_with: madeWith, kind }: Environment, say: Say): string {
  return (
    madeWith ??
    (kind === 'node' ? say('Node packages', 'Node 依赖包') : say('Python packages', 'Python 依赖包'))
  );
}

function stateWord(state: Environment['state'], say: Say): string {
  const words: Readonly<Record<Environment['state'], string>> = {
    ready: say('Ready', '就绪'),
    building: say('Building', '创建中'),
    damaged: say('Damaged', '已损坏'),
  };
  return words[state];
}
