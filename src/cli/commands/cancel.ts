import type { Command } from 'commander';
import type { Run } from '../../contract/types.ts';
import { pathOfRun, pickRun, runArguments } from '../find-run.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, withSignature } from '../options.ts';
import { RefusedError, ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import { userError } from '../user-error.ts';

/** How long to wait for the run to end: a cancelled script gets a grace period before it is killed. */
const endsWithinS = 60;

export function configure(command: Command): void {
  withSignature(command, { ...runArguments, ...homeOption, ...jsonOption })
    .addHelpText('after', exitCodesText)
    .action(async (wanted: string, script: string | undefined, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { run_id: id, script_name, ended_at } = await pickRun(client, wanted, script);
      const name = printable(script_name);
      const answer = await client.post(`${pathOfRun(id)}/cancel`).catch((error: unknown) => {
        if (!(error instanceof RefusedError && error.code === 'run-ended')) throw error;
        throw userError(
          `This run of ${name} has already ended. To see its result: hob show ${id}`,
          `${name} 的这次运行已经结束。用 hob show ${id} 查看结果。`,
        );
      });
      if (json === true) return printJson(answer);
      if (ended_at !== null) {
        // The service has ended the series of attempts.
        process.stdout.write(
          tr(`${name} is not tried again (run ${id}).\n`, `${name} 不会再次尝试（运行 ${id}）。\n`),
        );
        return;
      }
      const { end_cause } = await client.get<Run>(`${pathOfRun(id)}?wait=${endsWithinS}`);
      process.stdout.write(
        end_cause === 'cancelled'
          ? tr(`Cancelled ${name} (run ${id}).\n`, `${name} 已停止（运行 ${id}）。\n`)
          : tr(`${name} is still being cancelled (run ${id}).\n`, `正在停止 ${name}（运行 ${id}）。\n`),
      );
    });
}
