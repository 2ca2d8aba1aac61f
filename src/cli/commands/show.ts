import type { Command } from 'commander';

import type { JsonObject } from '../../shared/json.ts';
import { describeRun } from '../history/describe-run.ts';
import { pickRun, runById } from '../history/pick-run.ts';
import { tr } from '../language.ts';
import { type CommonOptions, homeOption, jsonOption } from '../options.ts';
import { curlOf } from '../run/curl-of.ts';
import { describeScript } from '../run/describe-script.ts';
import { findScript } from '../run/script-shape.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';
import { UserError } from '../user-error.ts';

const shownRuns = 5;

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument(
      '<script>',
      tr(
        'script (name, part of the name, id or id prefix) or run (id or last)',
        '名称、名称的一部分、ID 或 ID 的开头；也可以是一次运行：运行 ID 或 last',
      ),
    )
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const found = await findScript(client, wanted).catch(async (error: unknown) => {
        const run = error instanceof UserError ? await findRun(client, wanted) : null;
        if (run === null) throw error;
        if (json === true) printJson(run);
        else process.stdout.write(describeRun(run));
        return null;
      });
      if (found === null) return;
      const { script, answer } = found;
      if (json === true) return printJson(answer);
      const runs = await client.get(`/api/runs?limit=${shownRuns}&script=${encodeURIComponent(script.id)}`);
      const curl = curlOf(client, script);
      const { isTTY, columns } = process.stdout;
      process.stdout.write(describeScript({ answer, runs, curl }, isTTY ? columns : undefined));
    });
}

function findRun(client: ServiceClient, wanted: string): Promise<JsonObject | null> {
  return wanted === 'last' ? pickRun(client, wanted) : runById(client, wanted);
}
