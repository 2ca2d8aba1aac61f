import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { settingsQuery } from '../api/queries.ts';
import type { Setting } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { CodeText } from '../parts/code.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { Panel } from '../parts/panel.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { CopyableText } from './about-hob.tsx';

/** The current settings. They are read at startup, so the page shows them and names the file to edit. */
export function SettingList() {
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
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
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
