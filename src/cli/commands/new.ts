import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { ScriptDetail, ScriptList } from '../../contract/types.ts';
import { curlLine, quoteWord } from '../command-lines.ts';
import { getScript } from '../find-script.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { homeOption, withSignature } from '../options.ts';
import { poll } from '../poll.ts';
import { safeFileName } from '../safe-file-name.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { UserError, userError } from '../user-error.ts';
import { createScriptsFolder, faultOfPlace, writeScript } from '../write-script.ts';
import { collectProperties, type NewOptions } from './new/interview.ts';
import {
  filesOfScript,
  inputKinds,
  languages,
  type NewScript,
  runLine,
  sampleValue,
} from './new/new-script.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '[name]': ['name of the script; can contain spaces', '脚本名称，可以有空格'],
    '--lang <language>': ['language of the script', '用什么语言编写', { choices: languages }],
    '--desc <text>': ['description in one sentence', '一句话说明它做什么'],
    '--input <kind>': ['kind of input', '它处理什么', { choices: inputKinds }],
    '--node': ['allow other scripts to call it', '允许其他脚本调用它'],
    '--id <uuid>': ['id of the script (default: a new one)', '脚本 ID（默认：自动生成）', { parse: checkId }],
    '--dir <dir>': [
      'parent folder (default: scripts in the home)',
      '放在哪个文件夹里（默认：数据目录下的 scripts）',
    ],
    '--yes': ['do not prompt; use defaults for missing values', '什么都不问，未给出的采用默认值'],
    ...homeOption,
    '--json': ['print the created script as JSON', '以 JSON 输出写入的内容，供程序使用'],
  })
    .addHelpText('after', examples)
    .action(makeScript);
}

function checkId(text: string): string {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError(tr('Expected a UUID.', 'ID 必须是 UUID。'));
}

const examples = tr(
  `
Examples:
  hob new
  hob new "Resize images" --lang python
  hob new count-words --lang bash --input text --yes

Creates a folder with a manifest, a working program, sample input and a README. In a terminal, hob prompts for missing values.
Existing files are never overwritten.
Exit codes: 0 success, 1 failure (see stderr), 2 usage error, 130 interrupted by Ctrl-C.`,
  `
示例：
  hob new
  hob new "图片放大" --lang python
  hob new count-words --lang bash --input text --yes

创建一个文件夹，里面有清单、可以直接运行的程序、试运行用的输入和 README。在终端中会询问没有给出的内容。不会覆盖已有的文件。
退出码：0 已创建，1 未创建（原因见 stderr），2 命令写法有误，130 被 Ctrl-C 中断。`,
);

interface MakeOptions extends NewOptions {
  dir?: string;
  home?: string;
  json?: boolean;
}

const pollTimes = { everyMs: 50, withinMs: 5000 };

async function makeScript(name: string | undefined, options: MakeOptions): Promise<void> {
  const { home, service } = await findService(options.home);
  const parent = options.dir === undefined ? join(home, 'scripts') : resolve(options.dir);
  if (options.dir !== undefined && (await stat(parent).catch(() => null))?.isDirectory() !== true)
    throw userError(
      `The folder ${parent} does not exist. Create it first, or choose another one with --dir.`,
      `文件夹 ${parent} 不存在。请先创建它，或用 --dir 指定别的文件夹。`,
    );
  const folderOf = (wanted: string) => join(parent, safeFileName(wanted));
  const script = await collectProperties(name, options, (wanted) => faultOfPlace(folderOf(wanted)));
  const folder = folderOf(script.name);
  const client = service === null ? null : await ServiceClient.find(options.home);
  if (client !== null && options.id !== undefined && (await lookUp(client, script.id)) !== null)
    throw userError(
      `Another script already has the id ${script.id}. Omit --id to generate a new one.`,
      `已有脚本使用 ID ${script.id}。去掉 --id 会自动生成一个新的。`,
    );
  const files = filesOfScript(script, service?.url ?? defaultUrl);
  if (options.dir === undefined) await createScriptsFolder(parent);
  await writeScript(folder, files);
  // Wait until the service knows the script, so that the printed commands work immediately.
  const made = client === null ? null : await poll(() => lookUp(client, script.id), pollTimes);
  if (options.json === true) {
    const { id, language } = script;
    return printJson({ folder, id, name: script.name, language, files: files.map(({ path }) => path) });
  }
  const isInHome = parent === join(home, 'scripts');
  const command = isInHome ? 'hob start' : `hob serve --scripts ${quoteWord(parent)}`;
  const advice = made !== null ? [] : [howToServe(command, client !== null)];
  process.stdout.write(await describeMade(script, folder, { client, slug: made?.slug, advice }));
}

/** The script as the service knows it; null if it does not. */
async function lookUp(client: ServiceClient, id: string): Promise<ScriptDetail | null> {
  return getScript(client, id).catch((error: unknown) => {
    if (error instanceof UserError) return null;
    throw error;
  });
}

const defaultUrl = 'http://127.0.0.1:9527';

async function describeMade(
  script: NewScript,
  folder: string,
  {
    client,
    slug,
    advice,
  }: { client: ServiceClient | null; slug: string | undefined; advice: readonly string[] },
): Promise<string> {
  const { id, name, input } = script;
  const { scripts } = (await client?.get<ScriptList>('/api/scripts')) ?? { scripts: [] };
  const isNameTaken = scripts.some((other) => other.name === name && other.id !== id);
  const value = sampleValue(input, folder);
  const inputs = value === null ? {} : { data: { [input]: [value] } };
  const service = client ?? { url: defaultUrl, needsToken: false };
  const lines = [
    tr(`Created ${name} in ${folder}`, `${name} 已创建：${folder}`),
    ...(isNameTaken ? [tr(`Note: another script is also named ${name}.`, `另有脚本也叫 ${name}。`)] : []),
    ...advice,
    `${tr('Run it: ', '运行：')}${runLine(script, folder, slug ?? (isNameTaken ? id : undefined))}`,
    `${tr('Over HTTP: ', '或者：')}${curlLine(service, slug ?? id, inputs)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function howToServe(command: string, isRunning: boolean): string {
  return isRunning
    ? tr(
        `The running Hob does not read scripts from this folder. Restart it with: ${command}`,
        `正在运行的 Hob 不会读取那里的脚本。请这样重新启动它：${command}`,
      )
    : tr(`Hob is not running. Start it: ${command}`, `Hob 没有运行。启动它：${command}`);
}
