import { useSay } from '../language/language.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Panel } from '../parts/panel.tsx';

/** The names of the programs, and those by which the command knows them. */
const clients = [
  ['Claude Code', 'claude-code'],
  ['Claude Desktop', 'claude-desktop'],
  ['VS Code', 'vscode'],
  ['Cursor', 'cursor'],
] as const;

/** How to connect the program of an agent. */
export function ConnectPanel({ url }: { url: string }) {
  const say = useSay();
  return (
    <Panel
      title={say('Connect a program', '连接程序')}
      note={say(
        'AI agents call your scripts as tools, over the Model Context Protocol (MCP). Run the command for your program in a terminal, then restart the program.',
        '智能体通过 MCP（Model Context Protocol）将脚本作为工具调用。请在终端中运行对应的命令，然后重启该程序。',
      )}
    >
      <dl className="flex flex-col divide-y divide-line">
        {clients.map(([name, id]) => (
          <Way key={id} name={name} text={`hob mcp install --client ${id}`} />
        ))}
        <Way name={say('Others, over stdio', '其他程序，stdio')} text="hob mcp" />
        <Way name={say('Others, over HTTP', '其他程序，HTTP')} text={url} />
      </dl>
    </Panel>
  );
}

function Way({ name, text }: { name: string; text: string }) {
  const say = useSay();
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 py-1">
      <dt className="w-40 shrink-0 text-muted">{name}</dt>
      <dd className="flex min-w-0 grow basis-52 items-center gap-1">
        <code className="min-w-0 font-mono text-[13px] wrap-anywhere">{text}</code>
        <CopyButton text={text} label={say(`Copy: ${name}`, `复制：${name}`)} />
      </dd>
    </div>
  );
}
