import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';

import { getJson, HobError } from '../api/hob.ts';
import { triggerQuery, triggersAgainMs } from '../api/queries.ts';
import type { Firing, FiringPage, Trigger } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button, buttonClasses } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { Menu } from '../parts/menu.tsx';
import { useTabTitle } from '../parts/page-title.tsx';
import { Panel } from '../parts/panel.tsx';
import { Ago } from '../parts/time.tsx';
import { LatestRuns } from '../runs/latest-runs.tsx';
import { SlotTime, zoneIn } from './slot-time.tsx';
import { FireButton, TriggerSwitch, useRemoval } from './trigger-actions.tsx';
import { FiringOutcome, TriggerBadge, TriggerProblems } from './trigger-parts.tsx';
import { WebhookAddress } from './webhook-address.tsx';
import { kindName, triggerPath, triggerWords } from './words-of-triggers.ts';

/** The page of a trigger: when it fires, and what became of its firings. */
export function TriggerPage({ id }: { id: string }) {
  const { data: trigger, error, refetch } = useQuery(triggerQuery(id));
  useTabTitle(id);
  if (error instanceof HobError && error.status === 404) return <UnknownTrigger id={id} />;
  if (trigger === undefined) return <Pending error={error} refetch={refetch} />;
  return (
    <>
      <Header trigger={trigger} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-5">
          {trigger.kind === 'webhook' && <WebhookAddress trigger={trigger} />}
          <Firings trigger={trigger} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          {trigger.next.length > 0 && <NextSlots trigger={trigger} />}
          <LatestRuns of={{ trigger_id: id }} all={`trigger=${id}`} />
          <Fields trigger={trigger} />
        </div>
      </div>
    </>
  );
}

function UnknownTrigger({ id }: { id: string }) {
  const say = useSay();
  return (
    <Empty
      isPage
      title={say('Trigger not found', '没有这个触发器')}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Link href="/triggers" className={buttonClasses()}>
            {say('All triggers', '全部触发器')}
          </Link>
          <Link href={`/runs?trigger=${encodeURIComponent(id)}`} className={buttonClasses()}>
            {say('Its past runs', '其运行记录')}
          </Link>
        </div>
      }
    >
      <code className="font-mono text-xs break-all">{id}</code>
    </Empty>
  );
}

function Header({ trigger }: { trigger: Trigger }) {
  const say = useSay();
  const [, navigate] = useLocation();
  const { id, kind, script, script_id, script_name, problems } = trigger;
  const removal = useRemoval(trigger, () => navigate('/triggers'));
  return (
    <header className="mb-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight break-all">{id}</h1>
          <TriggerBadge trigger={trigger} />
        </div>
        <div className="ml-auto flex items-center gap-2">
          <FireButton trigger={trigger} />
          <Link href={`${triggerPath(id)}/edit`} className={buttonClasses()}>
            <Pencil size={15} aria-hidden />
            {say('Edit', '编辑')}
          </Link>
          <Menu
            label={say('More actions', '更多')}
            items={[
              {
                name: say('Delete', '删除'),
                icon: <Trash2 size={15} aria-hidden />,
                isDangerous: true,
                onSelect: removal.ask,
              },
            ]}
          />
          <TriggerSwitch trigger={trigger} />
        </div>
      </div>
      <p className="mt-1 text-muted wrap-anywhere">
        {kind !== null && trigger.words !== '' && <span>{kindName(kind, say)} · </span>}
        <span className="text-ink">{triggerWords(trigger, say)}</span> ·{' '}
        {script_name === null ? (
          script
        ) : (
          <Link href={`/scripts/${script_id}`} className="underline underline-offset-2">
            {script_name}
          </Link>
        )}
      </p>
      {problems.length > 0 && (
        <div
          role="alert"
          className="mt-3 flex flex-col gap-1 rounded-xl border border-line bg-bad-ground p-4"
        >
          <TriggerProblems problems={problems} />
        </div>
      )}
      {removal.dialog}
    </header>
  );
}

function NextSlots({ trigger: { next, values } }: { trigger: Trigger }) {
  const say = useSay();
  return (
    <Panel title={say('Next', '接下来')}>
      <ol className="flex flex-col gap-1">
        {next.map((time) => (
          <li key={time} className="flex justify-between gap-3">
            <SlotTime time={time} zone={zoneIn(values)} />
            <span className="shrink-0 text-xs leading-5 text-muted">
              <Ago time={time} />
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const firstPage: string | null = null;

/** The past slots, arrivals or deliveries with their outcomes. */
function Firings({ trigger: { id, kind, values } }: { trigger: Trigger }) {
  const say = useSay();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['triggers', 'firings', id],
    queryFn: ({ pageParam, signal }) =>
      getJson<FiringPage>(
        `/api${triggerPath(id)}/slots?limit=30${pageParam === null ? '' : `&cursor=${encodeURIComponent(pageParam)}`}`,
        { signal },
      ),
    initialPageParam: firstPage,
    getNextPageParam: ({ next }) => next,
    // A longer list would be fetched page by page.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? triggersAgainMs : false),
  });
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Panel title={say('Firings', '触发记录')}>
      {data === undefined ? (
        <Pending error={error} refetch={refetch} />
      ) : items.length === 0 ? (
        <p className="text-muted">
          {kind === 'webhook'
            ? say(
                'Nothing yet. Every delivery appears here, also a refused one with the reason.',
                '还没有记录。每次请求都会列在这里；被拒绝的请求也会附上原因。',
              )
            : say(
                'Nothing yet. Firings appear here, and skipped ones with the reason.',
                '还没有记录。每次触发都会列在这里；被跳过的也会附上原因。',
              )}
        </p>
      ) : (
        <ul className="-mx-4 -mb-2">
          {items.map((firing, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several records may be equal
            <FiringRow key={index} firing={firing} zone={zoneIn(values)} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="flex justify-center pt-4">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {say('Show older ones', '显示更早的记录')}
          </Button>
        </div>
      )}
    </Panel>
  );
}

function FiringRow({ firing, zone }: { firing: Firing; zone: string | null }) {
  const say = useSay();
  const { due_at, message, detail, run_id } = firing;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-0.5 border-b border-line px-4 py-2 last:border-b-0">
      <span className="w-24 shrink-0">
        <FiringOutcome firing={firing} />
      </span>
      <span className="grow basis-52 tabular-nums">
        <SlotTime time={due_at} zone={zone} />
      </span>
      {run_id !== null && (
        <Link href={`/runs/${run_id}`} className="text-[13px] text-accent hover:underline">
          {say('View run', '查看运行')}
        </Link>
      )}
      {(message !== null || detail !== null) && (
        <span className="basis-full text-[13px] text-muted wrap-anywhere">
          {[message, detail].filter((text) => text !== null).join(say(': ', '：'))}
        </span>
      )}
    </li>
  );
}

/** Fields that the header shows, or that only repeat the state. */
const shownAbove = new Set(['kind', 'script', 'enabled']);

/** The fields in force, with their names in triggers.toml. */
function Fields({ trigger: { values, fields, from, line } }: { trigger: Trigger }) {
  const say = useSay();
  const rows = Object.entries(values).filter(([name]) => !shownAbove.has(name));
  return (
    <Panel
      title={say('Fields', '字段')}
      aside={line !== null && say(`triggers.toml, line ${line}`, `triggers.toml 第 ${line} 行`)}
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-[13px]">
        {from !== null && (
          <Row name="from">
            {from} <span className="text-muted">{say('(suggestion of the script)', '（脚本的建议）')}</span>
          </Row>
        )}
        {rows.map(([name, value]) => (
          <Row key={name} name={name}>
            {typeof value === 'string' ? value : JSON.stringify(value)}
            {from !== null && !Object.hasOwn(fields, name) && (
              <span className="text-muted"> {say('(suggested)', '（来自建议）')}</span>
            )}
          </Row>
        ))}
      </dl>
    </Panel>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="font-mono text-xs leading-5 text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
