import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Command } from 'commander';

import type { Accepted, ScriptDetail } from '../../contract/types.ts';
import type { JsonObject } from '../../shared/json.ts';
import { findScript } from '../find-script.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  collect,
  homeOption,
  secondsArgument,
  undeclaredOption,
  withSignature,
} from '../options.ts';
import { askForMissing, PipedInput, readParamArguments } from '../read-params.ts';
import { ServiceClient } from '../service-client.ts';
import { showRun, watchedHeaders } from '../show-run.ts';
import { runsInBackground, startService } from '../start-service.ts';
import { ask, canAsk } from '../terminal/ask.ts';
import { printable } from '../terminal/text.ts';
import { UserError, usageError } from '../user-error.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '<script>': [
      'slug or name of the script, part of the name, id or id prefix',
      'slug、名称、名称的一部分、ID 或 ID 的开头',
    ],
    '[values...]': [
      'values of the main input, such as files; - reads them from stdin, one per line',
      '主输入的值，例如文件；- 表示从标准输入读取，每行一个',
    ],
    '-p, --param <name=value>': ['set a param; can be repeated', '参数，可多次使用', { parse: collect }],
    ...undeclaredOption,
    '--async': ['print the run id and exit without waiting for the run', '只输出运行 ID，不等待结束'],
    '--follow': ['with --async: wait for the run anyway', '与 --async 同用：仍然等待结束'],
    '--timeout <seconds>': [
      'cancel the run after this many seconds',
      '超过指定秒数则取消运行',
      { parse: secondsArgument, conflicts: 'async' },
    ],
    ...homeOption,
    '--json': ['print the result as JSON', '以 JSON 输出结果，供程序使用'],
  })
    .showHelpAfterError(
      tr(
        "Pass params of the script as -p name=value. Run 'hob run --help' for usage.",
        '（脚本的参数用 -p 名称=值 给出；详见 hob run --help）',
      ),
    )
    .addHelpText('after', help)
    .action(run);
}

const help = tr(
  `
Examples:
  hob run resize-images a.png b.png -p quality=80
  find . -name '*.md' | hob run statistics -
  hob run backup -p key=@key.txt   read the value from a file (@- for stdin)
  hob run backup --async           print the run id and exit

The output of the script is passed through unchanged: stdout to stdout, stderr to
stderr. The result is printed to stderr. hob prompts for missing required params
and does not echo secrets. Ctrl-C cancels the run; a second Ctrl-C exits without
waiting for it.

Exit codes: 0 the run succeeded, and the code in its envelope, if it wrote one, is
0; 1 the run failed or could not start; 2 usage error; 124 --timeout expired;
130 cancelled by Ctrl-C.`,
  `
示例：
  hob run 图片缩放 a.png b.png -p quality=80
  find . -name '*.md' | hob run statistics -
  hob run backup -p key=@key.txt   值在文件中；@- 表示从标准输入读取
  hob run backup --async           只输出运行 ID，不等待结束

脚本的输出原样转发：stdout 到 stdout，stderr 到 stderr；运行结果显示在 stderr。
缺少的必填参数会逐一询问，机密不会显示。
按 Ctrl-C 停止运行，再按一次直接退出，不再等待。

退出码：0 成功，且脚本返回的 code 为 0；1 失败或无法运行；2 命令写法有误；
124 超过 --timeout；130 被 Ctrl-C 停止。`,
);

interface RunOptions extends CommonOptions {
  param?: string[];
  undeclared?: boolean;
  async?: boolean;
  follow?: boolean;
  timeout?: number;
}

const secondMs = 1000;

async function run(wanted: string, values: readonly string[], options: RunOptions): Promise<void> {
  const client = await serviceOrOffer(options.home);
  const script = await findScript(client, wanted);
  const piped = new PipedInput();
  const data = await inputValues(script, values, piped);
  const params = await askForMissing(script, await readParamArguments(script, options, piped));
  const isWatched = options.async !== true || options.follow === true;
  // The idempotency key makes sure that a repeated request starts the run only once.
  const headers = { 'idempotency-key': randomUUID(), ...watchedHeaders(isWatched) };
  const body = { script_id: script.id, ...(Object.keys(data).length > 0 && { data }), params };
  const hint = tr('To check whether the run was accepted: hob runs', '运行是否已被接受，可用 hob runs 查看');
  const answer = await client.post<Accepted>('/api/execute', body, { headers, hint });
  const timeoutMs = options.timeout === undefined ? null : options.timeout * secondMs;
  await showRun(answer, { client, isWatched, isJson: options.json === true, timeoutMs });
}

/** The service of a home. If it is not running and there is a terminal, offers to start it. */
async function serviceOrOffer(homeFlag: string | undefined): Promise<ServiceClient> {
  const { home, service } = await findService(homeFlag);
  if (service !== null || !canAsk()) return ServiceClient.find(homeFlag);
  const answer = await ask(
    tr(
      `Hob is not running (home: ${home}). Start it now? [Y/n] `,
      `Hob 没有运行（数据目录：${home}）。现在启动吗？[Y/n] `,
    ),
  );
  if (!/^(?:y|yes|是|)$/i.test(answer.trim())) return ServiceClient.find(homeFlag);
  const client = await startService(home);
  process.stderr.write(runsInBackground(client));
  return client;
}

/** Converts the arguments after the script name to the main input of a request; empty without arguments. */
async function inputValues(
  { name, input }: ScriptDetail,
  words: readonly string[],
  piped: PipedInput,
): Promise<JsonObject> {
  if (words.length === 0) return {};
  const title = printable(name);
  if (input === null)
    throw usageError(
      `${title} accepts no input values. To see what it accepts: hob show <script>`,
      `${title} 没有主输入。hob show 会说明它接受什么。`,
    );
  const values: string[] = [];
  for (const word of words) {
    if (word !== '-') values.push(word);
    else values.push(...(await piped.read()).split(/\r?\n/).filter((line) => line !== ''));
  }
  if (input.type === 'str' && values.length > 1)
    throw usageError(
      `${title} accepts one input value (${input.name}), but got ${values.length}.`,
      `${title} 只接受一个值（${input.name}），却给了 ${values.length} 个。`,
    );
  return { [input.name]: input.pick !== null ? existingPaths(values) : values };
}

/** Makes paths absolute, because the script has another working directory. */
function existingPaths(values: readonly string[]): string[] {
  const paths = values.map((value) => resolve(value));
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length === 0) return paths;
  const shown = missing.map((path) => `  ${printable(path)}`).join('\n');
  throw new UserError(
    `${tr('The script was not run, because these paths do not exist:', '没有运行。以下路径不存在：')}\n${shown}`,
  );
}
