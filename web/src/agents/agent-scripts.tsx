import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'wouter';

import { hob } from '../api/hob.ts';
import type { AgentScript } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Empty } from '../parts/empty.tsx';
import { BareSwitch } from '../parts/labelled-switch.tsx';
import { Panel } from '../parts/panel.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useShowError } from '../parts/show-error.ts';

/** Fewer scripts need no search. */
const fewScripts = 10;

/** All scripts, with switches that offer them to agents. */
export function AgentScripts({ scripts }: { scripts: readonly AgentScript[] }) {
  const say = useSay();
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = scripts.filter(({ name, tool }) => {
    const names = `${name} ${tool}`.toLowerCase();
    return words.every((word) => names.includes(word));
  });
  const offered = scripts.filter((script) => script.offered).length;
  if (scripts.length === 0) return <Empty title={say('No scripts yet', '还没有脚本')} />;
  return (
    <Panel
      title={say('Scripts for agents', '提供给智能体的脚本')}
      aside={say(`${offered} of ${scripts.length} offered`, `已提供 ${offered} / ${scripts.length}`)}
      note={say(
        'Your own scripts are offered unless their manifest says otherwise. Scripts of packages are offered once you switch them on; the setting mcp_packages changes this rule.',
        '您自己的脚本默认提供，除非清单另有说明；脚本包中的脚本需手动开启。设置 mcp_packages 可更改这条规则。',
      )}
    >
      {scripts.length > fewScripts && (
        <SearchField
          value={text}
          onChange={setText}
          label={say('Search scripts', '搜索脚本')}
          placeholder={say('Search scripts', '搜索脚本')}
        />
      )}
      {found.length === 0 ? (
        <p className="py-4 text-center text-muted">{say('No script matches', '没有匹配的脚本')}</p>
      ) : (
        <ul className="-mb-2 flex flex-col divide-y divide-line">
          {found.map((script) => (
            <ScriptRow key={script.script_id} script={script} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function ScriptRow({ script }: { script: AgentScript }) {
  const say = useSay();
  const { script_id, name, tool, packaged, offered } = script;
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 py-2.5 [contain-intrinsic-size:auto_3.75rem] [content-visibility:auto]">
      <div className="min-w-0 grow basis-60">
        <p className="flex items-baseline gap-2">
          <Link
            href={`/scripts/${script_id}`}
            className="min-w-0 truncate font-medium hover:underline"
            title={name}
          >
            {name}
          </Link>
          {packaged && <span className="shrink-0 text-xs text-muted">{say('Package', '脚本包')}</span>}
        </p>
        <p className="truncate font-mono text-xs text-muted" title={tool}>
          {tool}
        </p>
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <ChoiceSwitch script={script} field="offered" label={say('Offer to agents', '提供给智能体')} />
        <div className="sm:w-56">
          {offered && (
            <ChoiceSwitch
              script={script}
              field="asks"
              label={say('Ask me before each run', '每次运行前询问')}
            />
          )}
        </div>
      </div>
    </li>
  );
}

interface ChoiceSwitchProps {
  readonly script: AgentScript;
  readonly field: 'offered' | 'asks';
  readonly label: string;
}

/** A switch that stores a choice of the user at once. */
function ChoiceSwitch({ script: { script_id, name, ...script }, field, label }: ChoiceSwitchProps) {
  const say = useSay();
  const client = useQueryClient();
  const showError = useShowError();
  const id = useId();
  const choose = useMutation({
    mutationFn: (isOn: boolean) =>
      hob.request('PUT', `/api/agents/scripts/${script_id}`, { body: { [field]: isOn } }),
    onError: showError(say(`Could not change ${name}`, `无法更改 ${name}`)),
    // The switch shows the wanted state until the list arrives.
    onSettled: () => client.invalidateQueries({ queryKey: ['agents'] }),
  });
  return (
    <span className="flex items-center gap-2 text-[13px] whitespace-nowrap">
      <BareSwitch
        id={id}
        checked={choose.isPending ? choose.variables : script[field]}
        onCheckedChange={(isOn) => choose.mutate(isOn)}
        aria-label={say(`${label}: ${name}`, `${label}：${name}`)}
      />
      <label htmlFor={id}>{label}</label>
    </span>
  );
}
