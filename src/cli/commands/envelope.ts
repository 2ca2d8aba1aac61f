import type { Command } from 'commander';

import type { JsonObject } from '../../shared/json.ts';
import { replacePrivateFile } from '../../shared/private-files.ts';
import { tr } from '../language.ts';
import { strictUsage } from '../options.ts';
import { fileOption, findRun, readValues } from '../this-run.ts';
import { exitCodes, UserError } from '../user-error.ts';

const valuesArgument = ['[values...]', tr('name=text or name:=json', 'name=文本 或 name:=JSON')] as const;

export function configure(command: Command): void {
  strictUsage(command);
  command.helpCommand(false).addHelpText('after', examples);

  command
    .command('ok')
    .description(tr('write a success envelope', '写入成功的结果'))
    .argument(...valuesArgument)
    .option('--msg <text>', tr('message', '消息'), 'ok')
    .option(...fileOption)
    .action(async (values: string[], { msg, file }: { msg: string; file?: string }) => {
      await write(file, { code: 0, msg, ...readValues(values) });
    });

  command
    .command('fail')
    .description(
      tr('write a failure envelope; the script must exit on its own', '写入失败的结果和原因；脚本需自行退出'),
    )
    .argument('<message>', tr('reason of the failure', '失败原因'))
    .argument(...valuesArgument)
    // The message may begin with a dash.
    .allowUnknownOption()
    .option('--code <number>', tr('error code, an integer other than 0', '非 0 的整数'), readCode, 1)
    .option(...fileOption)
    .action(async (msg: string, values: string[], { code, file }: { code: number; file?: string }) => {
      await write(file, { code, msg, ...readValues(values) });
    });
}

/** Writes the envelope file of the run, or prints the envelope when there is no run. */
async function write(file: string | undefined, envelope: JsonObject): Promise<void> {
  const run = await findRun(file);
  const text = JSON.stringify(envelope);
  if (run === null) process.stdout.write(`${text}\n`);
  else await replacePrivateFile(run.outputFile, text);
}

function readCode(text: string): number {
  const code = Number(text);
  if (Number.isSafeInteger(code) && code !== 0 && text.trim() !== '') return code;
  throw new UserError(
    tr(
      `Invalid --code "${text}": expected an integer other than 0.`,
      `--code 必须是非 0 的整数，而不是 “${text}”。`,
    ),
    exitCodes.usage,
  );
}

const examples = tr(
  `
Examples:
  hob envelope ok --msg "3 files" count:=3 output="$file"
  hob envelope fail "the disk is full" --code 28; exit 1
The last envelope written counts. Outside a run, the envelope is printed to stdout.`,
  `
示例：
  hob envelope ok --msg "3 个文件" count:=3 output="$file"
  hob envelope fail "磁盘已满" --code 28; exit 1
以最后一次写入的为准。不是由 Hob 运行时，结果会打印出来。`,
);
