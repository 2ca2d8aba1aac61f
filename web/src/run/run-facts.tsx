import type { ReactNode } from 'react';
import { Link } from 'wouter';

import type { Run } from '../api/wire.ts';
import { tagOf, useLanguage, useSay } from '../language/language.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Panel } from '../parts/panel.tsx';
import { durationText } from '../parts/time.tsx';
import { RunTime } from './run-time.tsx';
import { isContainer } from './values/value-kind.ts';
import { ValueTree } from './values/value-tree.tsx';

/** Times and ids of a run. */
export function RunFacts({ run }: { run: Run }) {
  const say = useSay();
  const began = run.started_at ?? run.ended_at;
  return (
    <Panel title={say('Details', '详情')}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 [&_dt]:text-muted">
        <Fact name={say('Queued', '排队')}>
          <Moment time={run.queued_at} />
        </Fact>
        <Fact name={say('Started', '开始')}>{run.started_at && <Moment time={run.started_at} />}</Fact>
        <Fact name={say('Ended', '结束')}>{run.ended_at && <Moment time={run.ended_at} />}</Fact>
        <Fact name={say('Wait time', '等待')}>
          {began && durationText(Date.parse(began) - Date.parse(run.queued_at))}
        </Fact>
        <Fact name={say('Duration', '耗时')}>{run.started_at && <RunTime run={run} />}</Fact>
        <Fact name={say('Exit code', '退出码')}>{run.exit_code}</Fact>
        <Fact name={say('Version', '版本')}>{run.script_version}</Fact>
        <Fact name={say('Run ID', '运行')}>
          <Id id={run.run_id} />
        </Fact>
        <Fact name={say('Script ID', '脚本')}>
          <Id id={run.script_id} />
        </Fact>
        <Fact name={say('Called by', '调用者')}>
          {run.parent_run_id && (
            <Link
              href={`/runs/${run.parent_run_id}`}
              className="font-mono text-xs break-all underline underline-offset-2"
            >
              {run.parent_run_id}
            </Link>
          )}
        </Fact>
      </dl>
    </Panel>
  );
}

/** The input of a run. The service masks secrets. */
export function RunInputs({ run }: { run: Run }) {
  const say = useSay();
  const parts = [
    { name: say('Data', '数据'), value: run.data },
    { name: say('Parameters', '参数'), value: run.params },
  ].filter(({ value }) => isContainer(value) && Object.keys(value).length > 0);
  if (parts.length === 0) return null;
  return (
    <Panel title={say('Input', '输入')}>
      {parts.map(({ name, value }) => (
        <div key={name} className="[&+&]:mt-3">
          <h3 className="mb-1 text-xs font-medium text-muted">{name}</h3>
          <div className="font-mono text-[13px]">
            <ValueTree value={value} />
          </div>
        </div>
      ))}
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

function Id({ id }: { id: string }) {
  return (
    <span className="-my-1 flex items-center gap-1">
      <span className="truncate font-mono text-xs" title={id}>
        {id}
      </span>
      <CopyButton text={id} />
    </span>
  );
}

const momentFormat = { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' } as const;

function Moment({ time }: { time: string }) {
  const { language } = useLanguage();
  return (
    <time dateTime={time} title={time}>
      {new Date(time).toLocaleString(tagOf(language), momentFormat)}
    </time>
  );
}
