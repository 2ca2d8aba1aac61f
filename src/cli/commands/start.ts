import type { Command } from 'commander';

import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, plainJsonOption, withSignature } from '../options.ts';
import { runsInBackground, startService } from '../start-service.ts';
import { printJson } from '../terminal/print.ts';

export function configure(command: Command): void {
  withSignature(command, { ...homeOption, ...plainJsonOption })
    .addHelpText('after', help + exitCodesText)
    .action(async (options: CommonOptions) => {
      const { home, service } = await findService(options.home);
      const client = service === null ? await startService(home) : null;
      const url = client?.url ?? service?.url ?? '';
      if (options.json === true) return printJson({ url, started: client !== null });
      process.stdout.write(
        client === null
          ? tr(`Hob is already running at ${url}.\n`, `Hob 已在运行，地址 ${url}。\n`)
          : runsInBackground(client),
      );
    });
}

const help = tr(
  `
The service keeps running after this terminal is closed. It logs to serve.log in its home.
To start it at every login: hob service install
`,
  `
关闭此终端后它会继续运行，日志在数据目录的 serve.log 中。如需登录时自动启动：hob service install
`,
);
