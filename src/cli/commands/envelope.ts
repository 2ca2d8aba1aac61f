import type { Command } from 'commander';

import { findJsonHazard, type Json, type JsonObject } from '../../shared/json.ts';
import { replacePrivateFile } from '../../shared/private-files.ts';
import { tr } from '../language.ts';
import { withSignature } from '../options.ts';
import { fileOption, findRun, parseJson, readAssignment } from '../this-run.ts';
import { usageError } from '../user-error.ts';

const valuesArgument = { '[values...]': ['name=text or name:=json', 'name=文本 或 name:=JSON'] } as const;

export function configure(command: Command): void {
  command.helpCommand(false).addHelpText('after', examples);

  withSignature(command.command('ok'), {
    ...valuesArgument,
    '--msg <text>': ['message', '消息', { default: 'ok' }],
    ...fileOption,
  })
    .description(tr('write a success envelope', '写入成功的结果'))
    .action(async (values: string[], { msg, file }: { msg: string; file?: string }) => {
      await write(file, { code: 0, msg, ...readValues(values) });
    });

  withSignature(command.command('fail'), {
    '<message>': ['reason of the failure', '失败原因'],
    ...valuesArgument,
    '--code <number>': [
      'error code, an integer other than 0',
      '非 0 的整数',
      { parse: readCode, default: 1 },
    ],
    ...fileOption,
  })
    .description(
      tr('write a failure envelope; the script must exit on its own', '写入失败的结果和原因；脚本需自行退出'),
    )
    // The message may begin with a dash.
    .allowUnknownOption()
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
  throw usageError(
    `Invalid --code "${text}": expected an integer other than 0.`,
    `--code 必须是非 0 的整数，而不是 “${text}”。`,
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

const reserved: ReadonlyMap<string, string> = new Map([
  ['code', 'hob envelope fail <message> --code <number>'],
  ['msg', 'hob envelope ok --msg <text>'],
]);

function readValues(words: readonly string[]): JsonObject {
  const values: [string, Json][] = [];
  for (const word of words) {
    const { name, text, isJson } = readAssignment(word);
    const command = reserved.get(name);
    if (command !== undefined)
      throw usageError(
        `${name} is a reserved name. To set it, use: ${command}`,
        `${name} 不是自定义的值，请用：${command}`,
      );
    values.push([name, isJson ? parseJson(name, text) : text]);
  }
  const hazard = findJsonHazard(Object.fromEntries(values));
  if (hazard === undefined) return Object.fromEntries(values);
  throw usageError(
    'Invalid envelope values: they are nested too deeply, or contain a name or number that is not allowed.',
    '这些值不能写入结果：嵌套太深，或者含有不允许的名称或数字。',
  );
}
