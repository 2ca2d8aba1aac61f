import { useMutation, useQuery } from '@tanstack/react-query';
import { LogOut, Moon, Power, Sun, SunMoon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';

import { callService } from '../api/call-service.ts';
import { healthQuery, settingsQuery } from '../api/queries.ts';
import type { Health } from '../api/wire.ts';
import { tagOf, useLanguage, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Failure, messageOf } from '../parts/failure.tsx';
import { bytesText } from '../parts/format.ts';
import { Loading } from '../parts/loading.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { Panel } from '../parts/panel.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { useToast } from '../parts/toasts.tsx';
import { destinations } from '../shell/destinations.ts';
import { useTheme } from '../theme/theme.ts';
import { AboutHob, CopyableText } from './about-hob.tsx';
import { EnvironmentList } from './environment-list.tsx';
import { RuntimeList } from './runtime-list.tsx';
import { refusalWords } from './service-words.ts';
import { SettingList } from './setting-list.tsx';

/** No event reports interpreters that exit or refused requests, so the page polls. */
const lookAgainMs = 5000;

/** The state and the settings of the service. */
export function HealthPage() {
  const say = useSay();
  const { data, error, refetch, dataUpdatedAt } = useQuery({ ...healthQuery, refetchInterval: lookAgainMs });
  return (
    <>
      <PageTitle title={say('Settings', '设置')} />
      <div className="flex flex-col gap-4">
        <MorePages />
        {data === undefined ? (
          error ? (
            <Failure error={error} onRetry={() => void refetch()} />
          ) : (
            <Loading />
          )
        ) : (
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <div className="flex min-w-0 flex-col gap-4">
              <AboutHob health={data} askedAt={dataUpdatedAt} />
              <AppearancePanel />
              <WarmInterpreters warm={data.warm} />
              <Refusals refused={data.refused} />
            </div>
            <div className="flex min-w-0 flex-col gap-4">
              <RuntimeList />
              <EnvironmentList />
            </div>
            <SettingList />
            <StopPanel />
          </div>
        )}
      </div>
    </>
  );
}

/** The refused requests since the service started, by reason. Renders nothing if there are none. */
function Refusals({ refused }: { refused: Readonly<Record<string, number>> }) {
  const say = useSay();
  const counts = Object.entries(refused)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  if (counts.length === 0) return null;
  return (
    <Panel
      title={say('Refused requests', '被拒绝的请求')}
      note={say('Requests that Hob has refused since it started.', '自 Hob 启动以来未被受理的请求。')}
    >
      <ul className="flex flex-col divide-y divide-line">
        {counts.map(([code, count]) => (
          <li key={code} className="flex items-baseline gap-3 py-1.5">
            <span className="min-w-0 grow">
              {refusalWords(code, say)} <code className="font-mono text-xs text-muted">{code}</code>
            </span>
            <span className="tabular-nums">{count}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The language and theme of the console in this browser. */
function AppearancePanel() {
  const { language, say, choose } = useLanguage();
  const [theme, chooseTheme] = useTheme();
  return (
    <Panel
      title={say('Console', '控制台')}
      note={say('Saved in this browser only.', '以下两项仅保存在当前浏览器中。')}
    >
      <div className="flex flex-wrap gap-3">
        <Segmented
          label={say('Language', '语言')}
          value={language}
          onChange={choose}
          choices={[
            { value: 'en', name: 'English', lang: 'en' },
            { value: 'zh', name: '中文', lang: tagOf('zh') },
          ]}
        />
        <Segmented
          label={say('Theme', '颜色')}
          value={theme}
          onChange={chooseTheme}
          choices={[
            { value: 'system', name: <Named icon={SunMoon} name={say('System', '跟随系统')} /> },
            { value: 'light', name: <Named icon={Sun} name={say('Light', '浅色')} /> },
            { value: 'dark', name: <Named icon={Moon} name={say('Dark', '深色')} /> },
          ]}
        />
      </div>
    </Panel>
  );
}

function Named({ icon: Icon, name }: { icon: typeof Sun; name: string }) {
  return (
    <>
      <Icon size={15} aria-hidden />
      {name}
    </>
  );
}

/** Links to the pages that are not in the bottom bar of phones. */
function MorePages() {
  const say = useSay();
  return (
    <nav aria-label={say('More pages', '更多页面')} className="flex flex-col gap-2 md:hidden">
      {destinations
        .filter(({ isMain }) => !isMain)
        .map(({ path, icon: Icon, name }) => (
          <Link
            key={path}
            href={path}
            className="flex h-12 items-center gap-3 rounded-xl border border-line bg-surface px-4 font-medium"
          >
            <Icon size={18} aria-hidden className="text-muted" />
            {name(say)}
          </Link>
        ))}
    </nav>
  );
}

/** Stops the service, and signs out if a token is required. */
function StopPanel() {
  const say = useSay();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const { data: settings } = useQuery(settingsQuery);
  const asksForToken = settings?.items.some(({ name, value }) => name === 'token' && value === true) === true;
  const onError = (error: unknown) => toast({ kind: 'error', title: messageOf(error) });
  const stop = useMutation({
    mutationFn: () => callService('/api/stop', { method: 'POST', body: {} }),
    onError,
  });
  const signOut = useMutation({
    mutationFn: () => callService('/api/session', { method: 'DELETE' }),
    onSuccess: () => location.reload(),
    onError,
  });
  return (
    <Panel
      title={say('Stop', '停止')}
      className="lg:col-span-2"
      note={
        <output>
          {stop.isSuccess
            ? say(
                'Hob is stopping. To start it again, run this in a terminal:',
                'Hob 正在停止。在终端中运行以下命令可重新启动：',
              )
            : say(
                'Running scripts continue when Hob stops. This page cannot start Hob again. Run this in a terminal:',
                '正在运行的脚本不受影响。此页面无法重新启动 Hob，请在终端中运行：',
              )}
        </output>
      }
    >
      <CopyableText text="hob serve" />
      <div className="mt-3 flex flex-wrap gap-2">
        <Button look="danger" disabled={stop.isPending || stop.isSuccess} onClick={() => setAsking(true)}>
          <Power size={16} aria-hidden />
          {say('Stop Hob', '停止 Hob')}
        </Button>
        {asksForToken && (
          <Button disabled={signOut.isPending} onClick={() => signOut.mutate()}>
            <LogOut size={16} aria-hidden />
            {say('Sign out', '退出登录')}
          </Button>
        )}
      </div>
      <Confirm
        isOpen={isAsking}
        title={say('Stop Hob?', '停止 Hob？')}
        description={say(
          'You cannot run scripts until you start Hob again in a terminal: hob serve',
          '在终端中运行 hob serve 重新启动之前，无法再用它启动脚本。',
        )}
        action={say('Stop Hob', '停止 Hob')}
        onConfirm={() => stop.mutate()}
        onClose={() => setAsking(false)}
      />
    </Panel>
  );
}

/** The warm interpreters, their memory and their hit rate. */
function WarmInterpreters({ warm }: { warm: Health['warm'] }) {
  const say = useSay();
  const { hits, misses, budget_bytes: budget, memory_bytes: memory, interpreters } = warm;
  const runs = hits + misses;
  const title = say('Warm interpreters', '预热的解释器');
  if (budget === 0)
    return (
      <Panel title={title}>
        <p className="text-muted">
          {say(
            'Off (warm_memory_mb is 0). Every run starts a new interpreter.',
            '已关闭（warm_memory_mb 为 0）：每次运行都启动新的解释器。',
          )}
        </p>
      </Panel>
    );
  return (
    <Panel
      title={title}
      note={`${say(
        `${bytesText(memory)} of ${bytesText(budget)}`,
        `占用 ${bytesText(memory)}，上限 ${bytesText(budget)}`,
      )} · ${
        runs === 0
          ? say('no runs that could start warm yet', '还没有运行能用上')
          : say(
              `${hits} of ${runs} runs that could start warm did so`,
              `${runs} 次可预热的运行中有 ${hits} 次用上了`,
            )
      }`}
    >
      {warm.short_of_memory && (
        <p className="mb-3 rounded-lg bg-warn-ground px-3 py-2 text-warn">
          {say(
            'This machine is low on memory. Hob starts no warm interpreters for now.',
            '这台机器内存不足，暂不预热新的解释器。',
          )}
        </p>
      )}
      {interpreters.length === 0 ? (
        <p className="text-muted">
          {say(
            'No warm interpreters. Hob starts one when a script first runs.',
            '没有待命的解释器。脚本首次运行后会出现。',
          )}
        </p>
      ) : (
        <div className="overflow-x-auto">
          <table className="w-full text-left">
            <thead className="text-xs text-muted">
              <tr>
                <th scope="col" className="py-1 pr-4 font-medium">
                  {say('Interpreter', '解释器')}
                </th>
                <th scope="col" className="py-1 pr-4 text-right font-medium whitespace-nowrap">
                  {say('Ready', '待命')}
                </th>
                <th scope="col" className="py-1 text-right font-medium">
                  {say('Memory', '内存')}
                </th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {interpreters.map(({ language, path, preload, waiting, memory_bytes: size }) => (
                <tr key={`${path}\n${preload.join()}`}>
                  <td className="py-2 pr-4">
                    {language}
                    {preload.length > 0 && (
                      <span className="text-muted">
                        {say(` with ${preload.join(', ')}`, `，已加载 ${preload.join('、')}`)}
                      </span>
                    )}
                    <span className="block font-mono text-xs break-all text-muted">{path}</span>
                  </td>
                  <td className="py-2 pr-4 text-right tabular-nums">{waiting}</td>
                  <td className="py-2 text-right whitespace-nowrap tabular-nums">{bytesText(size)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
