import type { AgentScript, Agents } from '../../../contract/types.ts';
import { pickScript } from '../../find-script.ts';
import { tr } from '../../language.ts';
import type { CommonOptions } from '../../options.ts';
import { ServiceClient } from '../../service-client.ts';
import { paint, printAnswer } from '../../terminal/print.ts';
import { type Column, formatTable, printable } from '../../terminal/text.ts';

/** `hob mcp scripts` */
export async function listScripts({ home, json }: CommonOptions): Promise<void> {
  const client = await ServiceClient.find(home);
  printAnswer(await client.get<Agents>('/api/agents'), json, describeScripts);
}

/** `hob mcp offer` and `hob mcp withhold` */
export async function chooseScript(
  wanted: string,
  offered: boolean,
  { home, json }: CommonOptions,
): Promise<void> {
  const client = await ServiceClient.find(home);
  const { scripts } = await client.get<Agents>('/api/agents');
  const { id } = pickScript(
    scripts.map(({ script_id, slug, name }) => ({ id: script_id, slug, name })),
    wanted,
  );
  const chosen = await client.put<AgentScript>(`/api/agents/scripts/${id}`, { offered });
  printAnswer(chosen, json, describeChoice);
}

const yes = tr('yes', '是');
const no = tr('no', '否');

const columns: readonly Column<AgentScript>[] = [
  [tr('TOOL', '工具'), ({ tool }) => tool],
  [
    tr('OFFERED', '已提供'),
    ({ offered }) => (offered ? yes : no),
    { paint: (text) => paint(text.trimEnd() === yes ? 'green' : 'dim', text) },
  ],
  [
    tr('ASKS FIRST', '运行前询问'),
    ({ offered, asks }) => {
      if (!offered) return '-';
      return asks ? yes : no;
    },
  ],
  [tr('SCRIPT', '脚本'), ({ name }) => name],
];

function describeScripts({ scripts, questions }: Agents, lineWidth?: number): string {
  if (scripts.length === 0)
    return tr('There are no scripts yet. To create one: hob new\n', '还没有脚本。新建一个：hob new\n');
  const count = questions.length;
  const waiting = tr(
    `${count === 1 ? '1 run waits' : `${count} runs wait`} for your answer on the page Agents of the console: hob open`,
    `有 ${count} 次运行在控制台的“智能体”页面等待您的回答：hob open`,
  );
  return `${[...formatTable(scripts, columns, lineWidth), ...(count === 0 ? [] : ['', waiting])].join('\n')}\n`;
}

function describeChoice({ name, tool, offered, asks }: AgentScript): string {
  const shown = printable(name);
  if (!offered) return tr(`Agents can no longer use ${shown}.\n`, `智能体不能再使用 ${shown}。\n`);
  const asking = asks
    ? tr(' You are asked before each run.', ' 每次运行前会询问您。')
    : tr(' You are not asked before a run.', ' 运行前不会询问您。');
  return tr(
    `Agents can use ${shown} as the tool ${tool}.${asking}\n`,
    `智能体可以将 ${shown} 作为工具 ${tool} 使用。${asking.trim()}\n`,
  );
}
