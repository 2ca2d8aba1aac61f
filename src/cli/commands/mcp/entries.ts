import { desktopSession } from '../../../settings/desktop-session.ts';
import type { JsonObject } from '../../../shared/json.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { findService, homeOf } from '../../find-service.ts';
import { tr } from '../../language.ts';
import { changeConfig, entryName, readConfig } from '../../mcp/client-config.ts';
import { removeEntry, setEntry } from '../../mcp/jsonc-edit.ts';
import { type ClientId, isFound, type McpClient, mcpClients } from '../../mcp/mcp-clients.ts';
import { type EntryState, entryFor, entryState, mcpLaunch } from '../../mcp/server-entry.ts';
import type { CommonOptions } from '../../options.ts';
import { printAnswer } from '../../terminal/print.ts';
import { type Column, formatTable } from '../../terminal/text.ts';
import { UserError, usageError, userError } from '../../user-error.ts';

interface EntryOptions extends CommonOptions {
  client?: ClientId;
  print?: boolean;
  force?: boolean;
}

/** `hob mcp install` */
export async function installEntry({ home: flag, client: id, print, force }: EntryOptions): Promise<void> {
  const client = chosenClient(id);
  const { file, group, title } = client;
  const launch = mcpLaunch(homeOf(flag), desktopSession());
  if (print === true) {
    process.stdout.write(describeEntry(client, entryFor(client, launch)));
    return;
  }
  const isChanged = await changeConfig(client, ({ text, entry }) => {
    const state = entryState(entry, client, launch);
    if (state === 'current') return null;
    if (state === 'other' && force !== true) throw startsSomethingElse(client);
    const kept = state === 'outdated' && isJsonObject(entry) ? entry : {};
    return setEntry(text ?? '', group, entryName, entryFor(client, launch, kept));
  });
  const said = isChanged
    ? tr(
        `Added Hob to ${file}\nRestart ${title} if it is open.\n`,
        `已将 Hob 添加到 ${file}\n如果 ${title} 已打开，请重新启动它。\n`,
      )
    : tr(`${title} is already set up: ${file}\n`, `${title} 已经设置好：${file}\n`);
  const { service } = await findService(flag);
  process.stdout.write(service === null ? said + notRunning() : said);
}

function notRunning(): string {
  return tr(
    'Hob is not running. To start it: hob start, or at every login: hob service install\n',
    'Hob 没有运行。启动：hob start；每次登录时自动启动：hob service install\n',
  );
}

function describeEntry({ file, group }: McpClient, entry: JsonObject): string {
  const text = JSON.stringify({ [group]: { [entryName]: entry } }, null, 2);
  return `${tr(`Would add to ${file}:`, `将添加到 ${file}：`)}\n${text}\n`;
}

/** `hob mcp remove` */
export async function removeOwnEntry({ home: flag, client: id, force }: EntryOptions): Promise<void> {
  const client = chosenClient(id);
  const { file, group } = client;
  const launch = mcpLaunch(homeOf(flag), desktopSession());
  const isChanged = await changeConfig(client, ({ text, entry }) => {
    const state = entryState(entry, client, launch);
    if (state === 'missing' || text === null) return null;
    if (state === 'other' && force !== true) throw startsSomethingElse(client);
    return removeEntry(text, group, entryName);
  });
  process.stdout.write(
    isChanged
      ? tr(`Removed Hob from ${file}\n`, `已从 ${file} 中移除 Hob\n`)
      : tr(`${file} has no entry for Hob.\n`, `${file} 中没有 Hob 的条目。\n`),
  );
}

function chosenClient(id: ClientId | undefined): McpClient {
  const clients = mcpClients(desktopSession());
  const chosen = clients.find((client) => client.id === id);
  if (chosen !== undefined) return chosen;
  const lines = clients.map((client) => {
    const found = isFound(client) ? tr(' (found on this machine)', '（这台电脑上有）') : '';
    return `  --client ${client.id}${found}`;
  });
  const list = lines.join('\n');
  throw usageError(`Name a client:\n${list}`, `请指明客户端：\n${list}`);
}

function startsSomethingElse({ file }: McpClient): UserError {
  return userError(
    `${file} was not changed: its entry "${entryName}" starts something else, or the Hob of another home. To replace or remove it: --force`,
    `没有更改 ${file}：其中的条目 “${entryName}” 启动的是别的程序，或另一个数据目录的 Hob。要替换或移除它：--force`,
  );
}

interface ClientStatus {
  readonly client: ClientId;
  readonly title: string;
  readonly file: string;
  readonly state: EntryState | 'unreadable';
  readonly problem: string | null;
}

/** `hob mcp status` */
export async function showStatus({ home: flag, json }: CommonOptions): Promise<void> {
  const session = desktopSession();
  const launch = mcpLaunch(homeOf(flag), session);
  const found = mcpClients(session).filter(isFound);
  const clients = await Promise.all(
    found.map(async (client): Promise<ClientStatus> => {
      const { id, title, file } = client;
      const common = { client: id, title, file };
      try {
        const { entry } = await readConfig(client);
        return { ...common, state: entryState(entry, client, launch), problem: null };
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return { ...common, state: 'unreadable', problem: error.message };
      }
    }),
  );
  printAnswer({ clients }, json, describeStatus);
}

const stateWords: Readonly<Record<ClientStatus['state'], () => string>> = {
  missing: () => tr('not installed', '未添加'),
  current: () => tr('installed', '已添加'),
  outdated: () => tr('outdated', '需要更新'),
  other: () => tr('starts something else', '启动的是别的程序'),
  unreadable: () => tr('file not readable', '文件无法读取'),
};

function describeStatus({ clients }: { clients: readonly ClientStatus[] }, lineWidth?: number): string {
  if (clients.length === 0)
    return tr(
      'No client was found. Hob knows Claude Desktop, Claude Code, VS Code and Cursor.\n',
      '没有找到客户端。Hob 支持 Claude Desktop、Claude Code、VS Code 和 Cursor。\n',
    );
  const columns: readonly Column<ClientStatus>[] = [
    [tr('CLIENT', '客户端'), ({ client }) => client],
    [tr('STATE', '状态'), ({ state }) => stateWords[state]()],
    [tr('FILE', '文件'), ({ file }) => file],
  ];
  const open = clients.find(({ state }) => state === 'missing' || state === 'outdated');
  const advice =
    open === undefined
      ? []
      : [
          tr(
            `To add Hob: hob mcp install --client ${open.client}`,
            `添加 Hob：hob mcp install --client ${open.client}`,
          ),
        ];
  const problems = clients.flatMap(({ problem }) => problem ?? []);
  return `${[...formatTable(clients, columns, lineWidth), ...problems, ...advice].join('\n')}\n`;
}
