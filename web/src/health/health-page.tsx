import { useMutation, useQuery } from '@tanstack/react-query';
import { LogOut, Moon, Power, Sun, SunMoon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';

import { hob } from '../api/hob.ts';
import { healthQuery, settingsQuery } from '../api/queries.ts';
import type { Setting } from '../api/wire.ts';
import { type Say, tagOf, useLanguage, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { CodeText } from '../parts/code.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { messageOf, Pending } from '../parts/failure.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { Panel } from '../parts/panel.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { useToast } from '../parts/toasts.tsx';
import { destinations } from '../shell/destinations.ts';
import { useTheme } from '../theme/theme.ts';
import { AboutHob, CopyableText } from './about-hob.tsx';
import { EnvironmentList, RuntimeList } from './runtimes.tsx';
import { refusalWords } from './service-words.ts';
import { WarmInterpreters } from './warm-interpreters.tsx';

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
          <Pending error={error} refetch={refetch} />
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
  const onError = (error: unknown) => toast({ kind: 'error', title: messageOf(error, say) });
  const stop = useMutation({
    mutationFn: () => hob.request('POST', '/api/stop', { body: {} }),
    onError,
  });
  const signOut = useMutation({
    mutationFn: () => hob.request('DELETE', '/api/session'),
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

/** The current settings. They are read at startup, so the page shows them and names the file to edit. */
function SettingList() {
  const say = useSay();
  const { data, error, refetch } = useQuery(settingsQuery);
  const [choice, setChoice] = useState<'set' | 'all' | null>(null);
  const set = (data?.items ?? []).filter(({ source }) => source !== 'default');
  // If no setting is set, show all.
  const chosen = choice ?? (set.length > 0 ? 'set' : 'all');
  const shown = chosen === 'set' ? set : (data?.items ?? []);
  return (
    <Panel
      title={say('Limits and settings', '限制与设置')}
      className="lg:col-span-2"
      note={say(
        'Hob reads settings when it starts. To change one, edit this file and restart Hob. Flags and environment variables override the file.',
        '设置在 Hob 启动时读取。如需更改，请编辑以下文件并重启 Hob；命令行参数和环境变量优先于文件。',
      )}
      aside={
        data && (
          <Segmented
            label={say('Settings to show', '显示哪些设置')}
            value={chosen}
            onChange={setChoice}
            choices={[
              { value: 'set', name: say(`Set (${set.length})`, `已设置（${set.length}）`) },
              { value: 'all', name: say(`All (${data.items.length})`, `全部（${data.items.length}）`) },
            ]}
          />
        )
      }
    >
      {data === undefined ? (
        <Pending error={error} refetch={refetch} />
      ) : (
        <>
          <CopyableText text={data.file} />
          {shown.length === 0 && (
            <p className="mt-3 text-muted">
              {say('All settings have their default values.', '全部为默认值。')}
            </p>
          )}
          <ul className="mt-2 flex flex-col divide-y divide-line">
            {shown.map((setting) => (
              <SettingRow key={setting.name} setting={setting} />
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function SettingRow({ setting }: { setting: Setting }) {
  const say = useSay();
  const { name, value, source, set_by: setBy, description } = setting;
  return (
    <li className="grid gap-x-6 gap-y-1 py-2.5 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <div className="min-w-0">
        <p className="font-mono text-[13px] wrap-anywhere">
          <span className="font-medium">{name}</span>
          <span className="text-muted"> = </span>
          {tomlText(value)}
        </p>
        <p className="text-xs text-muted">
          {source === 'default' ? (
            say('Default', '默认值')
          ) : (
            <>
              <span className="text-accent" title={setBy ?? undefined}>
                {sourceWords(setting, say)}
              </span>
              {' · '}
              {say('default: ', '默认值：')}
              <span className="font-mono wrap-anywhere">{tomlText(setting.default)}</span>
            </>
          )}
        </p>
      </div>
      <p className="min-w-0 text-[13px] break-words text-muted">
        <CodeText text={description} />
      </p>
    </li>
  );
}

function sourceWords({ source, set_by: setBy }: Setting, say: Say): string {
  switch (source) {
    case 'default':
      return say('Default', '默认值');
    case 'file':
      return say('Set in the file', '来自文件');
    case 'environment':
      return say(`Set by the variable ${setBy}`, `来自环境变量 ${setBy}`);
    case 'flag':
      return say(`Set by the flag ${setBy}`, `来自参数 ${setBy}`);
  }
}

/** A value in the notation of the settings file. */
export function tomlText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
