import type { Command } from 'commander';
import { readRun } from '../describe-run.ts';
import { lastScriptArgument, pathOfRun, pickRun, runArgument } from '../find-run.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, strictUsage } from '../options.ts';
import { RefusedError, ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { UserError } from '../user-error.ts';

/** How long to wait for the run to end: a cancelled script gets a grace period before it is killed. */
const endsWithinS = 60;

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument(...runArgument)
    .argument(...lastScriptArgument)
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async (wanted: string, script: string | undefined, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { id, scriptName } = readRun(await pickRun(client, wanted, script));
      const answer = await client.post(`${pathOfRun(id)}/cancel`).catch((error: unknown) => {
        if (!(error instanceof RefusedError && error.code === 'run-ended')) throw error;
        throw new UserError(
          tr(
            `This run of ${scriptName} has already ended. To see its result: hob show ${id}`,
            `${scriptName} 的这次运行已经结束。用 hob show ${id} 查看结果。`,
          ),
        );
      });
      if (json === true) return printJson(answer);
      const { endCause } = readRun(await client.get(`${pathOfRun(id)}?wait=${endsWithinS}`));
      process.stdout.write(
        endCause === 'cancelled'
          ? tr(`Cancelled ${scriptName} (run ${id}).\n`, `${scriptName} 已停止（运行 ${id}）。\n`)
          : tr(
              `${scriptName} is still being cancelled (run ${id}).\n`,
              `正在停止 ${scriptName}（运行 ${id}）。\n`,
            ),
      );
    });
}
