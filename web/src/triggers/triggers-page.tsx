import { useQuery } from '@tanstack/react-query';
import { Pencil, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';

import { triggersQuery } from '../api/queries.ts';
import type { Trigger, TriggerList, TriggerSuggestion } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { CodeText } from '../parts/code.tsx';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { Panel } from '../parts/panel.tsx';
import { Ago } from '../parts/time.tsx';
import { SlotTime, zoneIn } from './slot-time.tsx';
import { FireButton, TriggerSwitch } from './trigger-actions.tsx';
import {
  LastFiring,
  NewTriggerLinks,
  SuggestionRow,
  TriggerBadge,
  TriggerProblems,
} from './trigger-parts.tsx';
import { kindIcons, kindName, triggerPath, triggerWords } from './words-of-triggers.ts';

/** All triggers, and those that scripts suggest. */
export function TriggersPage() {
  const say = useSay();
  const { data, error, refetch } = useQuery(triggersQuery);
  const offered = data?.suggestions.filter(({ trigger_id }) => trigger_id === null) ?? [];
  const isEmpty = data?.items.length === 0;
  return (
    <>
      <PageTitle title={say('Triggers', '触发器')}>{data && !isEmpty && <NewTriggerLinks />}</PageTitle>
      {data === undefined || (error !== null && isEmpty) ? (
        <Pending error={error} refetch={refetch} />
      ) : (
        <div className="flex flex-col gap-5">
          <FileProblems problems={data.problems} />
          {isEmpty ? (
            data.problems.length === 0 && <NothingYet />
          ) : (
            <ul className="rounded-xl border border-line bg-surface">
              {data.items.map((trigger) => (
                <TriggerRow key={`${trigger.id} ${trigger.line}`} trigger={trigger} />
              ))}
            </ul>
          )}
          {offered.length > 0 && <Suggestions suggestions={offered} />}
        </div>
      )}
    </>
  );
}

/** The mistakes that make triggers.toml unusable as a whole. */
function FileProblems({ problems }: { problems: TriggerList['problems'] }) {
  const say = useSay();
  return problems.map(({ file, line, message, advice }) => (
    <div key={message} role="alert" className="rounded-xl border border-line bg-bad-ground p-4">
      <p className="flex items-start gap-2 font-medium text-bad">
        <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
        <span className="min-w-0 wrap-anywhere">{message}</span>
      </p>
      <p className="mt-1 wrap-anywhere">
        <CodeText text={advice} />{' '}
        {say('Until then, the triggers stay as they were.', '在此之前，触发器保持原样。')}
      </p>
      <p className="mt-1 font-mono text-xs break-all">
        {file}
        {line !== null && `:${line}`}
      </p>
    </div>
  ));
}

function NothingYet() {
  const say = useSay();
  return (
    <Empty
      title={say('No triggers yet', '还没有触发器')}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <NewTriggerLinks isPrimary />
        </div>
      }
    >
      <p>
        {say(
          'A trigger starts a script by itself: a schedule at set times, a folder when files arrive in it, a webhook when another program calls its address.',
          '触发器会自动启动脚本：计划在设定的时间启动，文件夹在有文件放入时启动，Webhook 在其他程序访问其地址时启动。',
        )}
      </p>
    </Empty>
  );
}

function TriggerRow({ trigger }: { trigger: Trigger }) {
  const say = useSay();
  const { id, kind, state, script, script_id, script_name, next, last, problems, values } = trigger;
  const Icon = kind === null ? TriangleAlert : kindIcons[kind];
  const [soonest] = next;
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 border-b border-line px-4 py-3.5 [contain-intrinsic-size:auto_5.5rem] [content-visibility:auto] last:border-b-0">
      <Icon
        size={18}
        role="img"
        aria-label={kind === null ? say('Unknown kind', '未知类型') : kindName(kind, say)}
        className={classes('mt-0.5 shrink-0', state === 'on' ? 'text-accent' : 'text-muted')}
      />
      <div className="flex min-w-0 grow basis-72 flex-col gap-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          {id === '' ? (
            <span className="font-medium italic">{say('No id', '没有 id')}</span>
          ) : (
            <Link href={triggerPath(id)} className="min-w-0 font-medium break-all hover:underline">
              {id}
            </Link>
          )}
          <TriggerBadge trigger={trigger} />
          {script_name === null ? (
            <span className="min-w-0 break-all text-muted">{script}</span>
          ) : (
            <Link
              href={`/scripts/${script_id}`}
              className="min-w-0 truncate text-muted hover:underline"
              title={script_name}
            >
              {script_name}
            </Link>
          )}
        </p>
        <p className="wrap-anywhere">{triggerWords(trigger, say)}</p>
        <p className="flex flex-wrap gap-x-5 gap-y-0.5 text-[13px] text-muted">
          {soonest !== undefined && (
            <span>
              {say('Next: ', '下次：')}
              <Ago time={soonest} /> (<SlotTime time={soonest} zone={zoneIn(values)} />)
            </span>
          )}
          <span className="inline-flex items-center gap-1">
            {say('Last: ', '上次：')}
            <LastFiring firing={last} />
          </span>
        </p>
        <TriggerProblems problems={problems} />
      </div>
      {id !== '' && (
        <div className="ml-auto flex items-center gap-2 self-center">
          <FireButton trigger={trigger} />
          <Link
            href={`${triggerPath(id)}/edit`}
            aria-label={say(`Edit: ${id}`, `编辑：${id}`)}
            title={say('Edit', '编辑')}
            className={classes(buttonClasses(), 'w-9 px-0!')}
          >
            <Pencil size={15} aria-hidden />
          </Link>
          <TriggerSwitch trigger={trigger} />
        </div>
      )}
    </li>
  );
}

/** The triggers that manifests suggest. They start nothing until the user sets them up. */
function Suggestions({ suggestions }: { suggestions: readonly TriggerSuggestion[] }) {
  const say = useSay();
  return (
    <Panel
      title={say('Suggested by your scripts', '脚本建议的触发器')}
      note={say('They start nothing until you set them up.', '设置之前不会启动任何运行。')}
    >
      <ul className="-mb-1 flex flex-col">
        {suggestions.map((suggestion) => (
          <SuggestionRow
            key={`${suggestion.script_id} ${suggestion.kind} ${suggestion.name}`}
            suggestion={suggestion}
          />
        ))}
      </ul>
    </Panel>
  );
}
