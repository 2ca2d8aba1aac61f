import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { useLive } from '../api/live-events.tsx';
import { settingsQuery } from '../api/queries.ts';
import type { Health } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { uptimeText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { Elapsed } from '../parts/time.tsx';
import { containmentWords, desktopWords, executorWords } from './service-words.ts';

/** The version, state and location of the service. */
export function AboutHob({ health, askedAt }: { health: Health; askedAt: number }) {
  const say = useSay();
  const { data: settings } = useQuery(settingsQuery);
  const { running, queued } = health;
  return (
    <Panel title="Hob">
      <dl className="flex flex-col divide-y divide-line">
        <Fact name={say('Version', '版本')}>
          {health.version}
          <span className="text-muted">{say(`, API ${health.interface}`, `，接口 ${health.interface}`)}</span>
        </Fact>
        <Fact name={say('Uptime', '已运行')}>
          <Uptime seconds={health.uptime_s} askedAt={askedAt} />
        </Fact>
        <Fact name={say('Active runs', '当前运行')}>
          {say(`${running} running, ${queued} queued`, `${running} 个运行中，${queued} 个排队中`)}
        </Fact>
        <Fact name={say('Executor', '执行进程')}>{executorWords(health.executor, say)}</Fact>
        {settings !== undefined && (
          <>
            <Fact name={say('Address', '地址')}>
              {[settings.address, ...settings.beyond].map((address) => (
                <CopyableText key={address} text={address} />
              ))}
            </Fact>
            <Fact name={say('Home folder', '数据目录')}>
              <CopyableText text={settings.home} />
            </Fact>
          </>
        )}
        <Fact name={say('Stopping runs', '停止运行')}>{containmentWords(health.containment, say)}</Fact>
        <Fact name={say('Notifications', '通知')}>{desktopWords(health.desktop, say)}</Fact>
      </dl>
    </Panel>
  );
}

/** Stops counting while the service is unreachable, because it may be down. */
function Uptime({ seconds, askedAt }: { seconds: number; askedAt: number }) {
  const say = useSay();
  const { connection } = useLive();
  const words = (ms: number) => uptimeText(ms, say);
  if (connection !== 'connected') return words(seconds * 1000);
  return <Elapsed since={askedAt - seconds * 1000} clock={Date.now} words={words} />;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 py-1.5">
      <dt className="w-28 shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 grow basis-44">{children}</dd>
    </div>
  );
}

/** A text with a copy button. */
export function CopyableText({ text }: { text: string }) {
  return (
    <span className="flex items-center gap-1">
      <span className="min-w-0 font-mono text-[13px] wrap-anywhere">{text}</span>
      <CopyButton text={text} />
    </span>
  );
}
