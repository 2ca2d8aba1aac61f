import type { Command } from 'commander';
import { openOnDesktop } from '../../shared/open-on-desktop.ts';
import { lastOrById } from '../find-run.ts';
import { findKnownScript } from '../find-script.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, plainJsonOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printAnswer } from '../terminal/print.ts';
import { userError } from '../user-error.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '[what]': ['run (id, id prefix or last) or script', '运行（ID、ID 的开头或 last）或脚本'],
    '--print': ['print the URL without opening a browser', '只输出地址，不打开浏览器'],
    ...homeOption,
    ...plainJsonOption,
  })
    .addHelpText('after', exitCodesText)
    .action(openPage);
}

async function openPage(
  what: string | undefined,
  { print, home, json }: CommonOptions & { print?: boolean },
): Promise<void> {
  const client = await ServiceClient.find(home);
  const address = client.url + (what === undefined ? '/' : await pathOf(client, what));
  printAnswer({ url: address }, json, ({ url }) => `${url}\n`);
  if (print === true) return;
  const failure = await openOnDesktop('page', address, { platform: process.platform });
  if (failure === null) return;
  const { program, isMissing } = failure;
  const reason = isMissing ? tr(`${program} not found`, `没有 ${program}`) : failure.reason;
  throw userError(
    `Cannot start a browser (${reason}). Open the URL above yourself.`,
    `无法启动浏览器（${reason}）。请自行打开上面的地址。`,
  );
}

async function pathOf(client: ServiceClient, what: string): Promise<string> {
  const run = await lastOrById(client, what);
  if (run !== null) return `/runs/${run.run_id}`;
  return `/scripts/${(await findKnownScript(client, what)).id}`;
}
