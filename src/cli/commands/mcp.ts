import type { Command } from 'commander';

import { homeOf } from '../find-service.ts';
import { tr } from '../language.ts';
import { clientIds } from '../mcp/mcp-clients.ts';
import {
  type CommonOptions,
  helpText,
  homeOption,
  jsonOption,
  plainJsonOption,
  scriptMeaning,
  withSignature,
} from '../options.ts';

const clientOption = {
  '--client <name>': ['the program that uses Hob', '使用 Hob 的程序', { choices: clientIds }],
} as const;
const forceOption = {
  '--force': ['also if an entry named "hob" starts something else', '即使名为 “hob” 的条目启动的是别的程序'],
} as const;

export function configure(command: Command): void {
  command.helpCommand(false).addHelpText('after', explanation);
  withSignature(command, homeOption).action(async ({ home }: CommonOptions) => {
    // The parts that edit files are not loaded for it.
    const { serveClient } = await import('../mcp/serve-client.ts');
    await serveClient(homeOf(home));
  });

  withSignature(command.command('install'), {
    ...clientOption,
    ...homeOption,
    '--print': ['print the entry and where it belongs, but change nothing', '只显示条目及其位置，不作更改'],
    ...forceOption,
  })
    .description(tr('add Hob to the configuration of a client', '把 Hob 添加到客户端的配置中'))
    .action(async (_, installation: Command) => {
      const { installEntry } = await import('./mcp/entries.ts');
      await installEntry(installation.optsWithGlobals());
    });

  withSignature(command.command('remove'), { ...clientOption, ...homeOption, ...forceOption })
    .description(tr('remove Hob from the configuration of a client', '从客户端的配置中移除 Hob'))
    .action(async (_, removal: Command) => {
      const { removeOwnEntry } = await import('./mcp/entries.ts');
      await removeOwnEntry(removal.optsWithGlobals());
    });

  withSignature(command.command('status'), { ...homeOption, ...plainJsonOption })
    .description(tr('list the clients of this machine', '列出这台电脑上的客户端'))
    .action(async (_, status: Command) => {
      const { showStatus } = await import('./mcp/entries.ts');
      await showStatus(status.optsWithGlobals());
    });

  withSignature(command.command('scripts'), { ...homeOption, ...jsonOption })
    .description(tr('list the scripts, and which of them agents may use', '列出脚本，以及智能体可以使用哪些'))
    .action(async (_, listing: Command) => {
      const { listScripts } = await import('./mcp/scripts.ts');
      await listScripts(listing.optsWithGlobals());
    });

  withSignature(command.command('offer'), { '<script>': scriptMeaning, ...homeOption, ...jsonOption })
    .description(tr('let agents use a script', '允许智能体使用某个脚本'))
    .action(async (script: string, _, offering: Command) => {
      const { chooseScript } = await import('./mcp/scripts.ts');
      await chooseScript(script, true, offering.optsWithGlobals());
    });

  withSignature(command.command('withhold'), { '<script>': scriptMeaning, ...homeOption, ...jsonOption })
    .description(tr('no longer let agents use a script', '不再允许智能体使用某个脚本'))
    .action(async (script: string, _, withholding: Command) => {
      const { chooseScript } = await import('./mcp/scripts.ts');
      await chooseScript(script, false, withholding.optsWithGlobals());
    });
}

const explanation = helpText(
  [
    'hob mcp install --client claude-code',
    'hob mcp install --client vscode --print',
    'hob mcp status',
    'hob mcp offer clean-up',
  ],
  `Lets agents use the scripts of this machine as tools, over the Model Context Protocol (MCP). A client starts hob mcp by itself and talks
to it on stdin and stdout; hob mcp install writes its configuration. Clients that speak HTTP can use the address of Hob followed by /mcp.
Hob must be running: hob start, or at every login: hob service install.
Exit codes: 0 success, 1 failure (see stderr), 2 usage error.`,
  `让智能体通过 MCP（Model Context Protocol）把这台电脑上的脚本当作工具使用。客户端会自行启动 hob mcp，并通过标准输入和输出与其通信；
hob mcp install 负责写入客户端的配置。支持 HTTP 的客户端可直接使用 Hob 的地址加 /mcp。
Hob 需要在运行：hob start；登录时自动启动：hob service install。
退出码：0 已完成，1 未能完成（原因见 stderr），2 命令写法有误。`,
);
