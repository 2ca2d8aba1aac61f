import { resolve } from 'node:path';

import type { Command } from 'commander';

import type { Fired, FiringPage, Trigger, TriggerList, TriggerRemoved } from '../../contract/types.ts';
import { afterPolicies, missedPolicies, overlapPolicies, signatureSchemes } from '../../contract/values.ts';
import type { Json } from '../../shared/json.ts';
import { getScript, nearestName } from '../find-script.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  collect,
  countArgument,
  exitCodesText,
  helpText,
  homeOption,
  jsonOption,
  plainJsonOption,
  scriptMeaning,
  undeclaredOption,
  withSignature,
} from '../options.ts';
import { RefusedError, ServiceClient } from '../service-client.ts';
import { showRun, watchedHeaders } from '../show-run.ts';
import { printAnswer, printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import { addTrigger } from '../triggers/add-trigger.ts';
import { describeTrigger, describeTriggers, firingLines } from '../triggers/describe-triggers.ts';
import { importCrontab } from '../triggers/import-crontab.ts';
import { inputData } from '../triggers/trigger-fields.ts';
import { userError } from '../user-error.ts';

const triggerArgument = { '<trigger>': ['id of the trigger', '触发器的 ID'] } as const;
const shownFirings = 5;
const mostFirings = 500;

export function configure(command: Command): void {
  command.helpCommand(false).addHelpText('after', explanation + exitCodesText);

  withSignature(command.command('list', { isDefault: true }), { ...homeOption, ...jsonOption })
    .description(
      tr(
        'list the triggers, their problems, and those that scripts suggest',
        '列出触发器及其问题，以及脚本建议的触发器',
      ),
    )
    .action(async ({ home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      printAnswer(await client.get<TriggerList>('/api/triggers'), json, describeTriggers);
    });

  withSignature(command.command('show'), { ...triggerArgument, ...homeOption, ...jsonOption })
    .description(
      tr(
        'show a trigger, its next times and its last firings',
        '显示一个触发器、接下来的时间和最近的触发记录',
      ),
    )
    .action(showTrigger);

  withSignature(command.command('slots'), {
    ...triggerArgument,
    '--limit <count>': [
      'maximum number of records',
      '最多列出多少条',
      { parse: countArgument(1, mostFirings), default: 20 },
    ],
    ...homeOption,
    ...jsonOption,
  })
    .description(
      tr(
        'list past slots, arrivals or deliveries, and what became of them',
        '列出过去的触发时间、到达的文件或收到的请求及其结果',
      ),
    )
    .action(listSlots);

  configureAdd(command.command('add'));

  for (const [name, enabled, english, chinese] of switches)
    withSignature(command.command(name), {
      '<trigger...>': ['ids of triggers', '触发器的 ID，可以有多个'],
      ...homeOption,
      ...plainJsonOption,
    })
      .description(tr(english, chinese))
      .action(async (ids: readonly string[], { home, json }: CommonOptions) => {
        const items: Trigger[] = [];
        for (const id of ids) {
          const changed = await about(id, home, (client, path) => client.patch<Trigger>(path, { enabled }));
          items.push(changed);
          if (json !== true) process.stdout.write(describeSwitched(changed));
        }
        if (json === true) printJson({ items });
      });

  withSignature(command.command('fire'), {
    ...triggerArgument,
    '--data <value>': [
      'value of the main input, such as a file; can be repeated',
      '主输入的值，例如文件，可多次使用',
      { parse: collect },
    ],
    '-w, --wait': ['show the run until it ends, as hob run does', '像 hob run 一样显示运行，直到结束'],
    ...homeOption,
    ...plainJsonOption,
  })
    .description(
      tr(
        'start a run now, also if the trigger is paused; print its id',
        '立即启动一次运行并输出其 ID，暂停时也可以',
      ),
    )
    .action(fire);

  const remove = command.command('remove').aliases(['rm', 'delete']);
  withSignature(remove, { ...triggerArgument, ...homeOption, ...jsonOption })
    .description(tr('remove a trigger and its records; its runs stay', '删除触发器及其记录，运行记录会保留'))
    .action(async (id: string, { home, json }: CommonOptions) => {
      const answer = await about(id, home, (client, path) => client.delete<TriggerRemoved>(path));
      printAnswer(answer, json, ({ message }) => `${printable(message)}${tr('.', '。')}\n`);
    });

  withSignature(command.command('path'), { ...homeOption })
    .description(
      tr(
        'print the path of triggers.toml, which you can edit',
        '输出 triggers.toml 的路径，您可以直接编辑该文件',
      ),
    )
    .action(async ({ home }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { file } = await client.get<TriggerList>('/api/triggers');
      process.stdout.write(`${file}\n`);
    });

  withSignature(command.command('import'), {
    '[file]': [
      'crontab to read; - for stdin (default: crontab -l)',
      'crontab 文件；- 表示标准输入（默认：crontab -l）',
    ],
    '--write': [
      'create the scripts and triggers; without it, only show them',
      '创建脚本和触发器；不加则只显示',
    ],
    ...homeOption,
    ...plainJsonOption,
  })
    .description(tr('take over the commands of a crontab', '接管 crontab 中的命令'))
    .addHelpText('after', importHelp + exitCodesText)
    .action(importCrontab);
}

const switches = [
  ['pause', false, 'switch triggers off', '暂停触发器'],
  ['resume', true, 'switch triggers on again', '重新开启触发器'],
] as const;

const explanation = helpText(
  [
    'hob triggers',
    'hob triggers add backup --cron "30 2 * * *"',
    'hob triggers add sync --every 15m --overlap queue',
    'hob triggers add shrink-video --folder ~/Inbox --filter .mp4 --after move',
    'hob triggers add deploy --webhook --signature github --secret github-hook',
    'hob triggers import --write',
  ],
  `A trigger starts runs of a script by itself. All triggers are in triggers.toml in the home; you can edit that file, also while Hob runs.
A trigger that a manifest suggests starts nothing until you add it.
`,
  `触发器会自动启动脚本。所有触发器都在数据目录的 triggers.toml 中，Hob 运行时也可以直接编辑。清单中建议的触发器在您添加之前不会启动任何东西。
`,
);

const importHelp = helpText(
  ['hob triggers import', 'hob triggers import --write', 'hob triggers import old-crontab'],
  `Shows a script and a trigger for each command of the crontab, and the lines that cannot be taken over. With --write, creates them.
Importing again creates nothing twice. The crontab stays as it is: remove its lines afterwards, or both run.
`,
  `为 crontab 中的每个命令显示对应的脚本和触发器，以及无法接管的行。加上 --write 才会创建。重复导入不会重复创建。crontab 本身不会被修改：
请随后自行删除其中的行，否则两边都会运行。
`,
);

function configureAdd(command: Command): void {
  withSignature(command, {
    '<script>': scriptMeaning,
    '--cron <expression>': [
      'times as in a crontab, such as "30 2 * * *"',
      '时间，写法同 crontab，例如 "30 2 * * *"',
    ],
    '--every <duration>': ['interval, such as 15m', '间隔，例如 15m', { conflicts: 'cron' }],
    '--timezone <zone>': [
      'time zone of --cron (default: of this machine)',
      '--cron 的时区（默认：本机时区）',
    ],
    '--missed <policy>': [
      'slots that passed while Hob was not running (default: once)',
      'Hob 未运行时错过的时间（默认：once）',
      { choices: missedPolicies },
    ],
    '--missed-within <duration>': [
      'age up to which they are made up for (default: 24h)',
      '最多补多久以前的（默认：24h）',
    ],
    '--overlap <policy>': [
      'what to do while the previous run has not ended (default: skip)',
      '上一次运行未结束时怎么办（默认：skip）',
      { choices: overlapPolicies },
    ],
    '--jitter <duration>': ['delay by a fixed part of this', '按其中固定的一部分推迟'],
    '--folder <folder>': ['start for each new file in this folder', '该文件夹中有新文件时启动'],
    '--recursive': ['also for files in its subfolders', '包括子文件夹中的文件'],
    '--filter <extension>': [
      'only files with this extension; can be repeated',
      '只处理该扩展名的文件，可多次使用',
      { parse: collect },
    ],
    '--settle <duration>': [
      'how long a file must stay unchanged (default: 2s)',
      '文件多久不变才算完整（默认：2s）',
    ],
    '--batch <duration>': [
      'files that arrive within this time share a run',
      '在此时间内到达的文件合并为一次运行',
    ],
    '--after <policy>': [
      'after the run, leave the file or move it to done or failed (default: leave)',
      '运行之后，保留文件或移到 done、failed（默认：leave）',
      { choices: afterPolicies },
    ],
    '--webhook': [
      'start when another program calls the address of the trigger',
      '其他程序请求触发器的地址时启动',
    ],
    '--signature <scheme>': [
      'how the sender proves who it is (default: token)',
      '发送方如何证明身份（默认：token）',
      { choices: signatureSchemes },
    ],
    '--secret <secret>': [
      'stored secret of the sender (default: the id)',
      '发送方的密钥名称（默认：与 ID 相同）',
    ],
    '--new-secret': ['generate this secret, store it and print it once', '生成该密钥，保存并显示一次'],
    '--into <param>': [
      'param that receives the delivery (default: event)',
      '接收请求内容的参数（默认：event）',
    ],
    '--from <name>': ['take the values from this suggestion of the manifest', '采用清单中该建议的值'],
    '--id <id>': ['id of the trigger (default: from the script)', '触发器的 ID（默认：取自脚本）'],
    '-p, --param <name=value>': [
      'param of each run; can be repeated',
      '每次运行的参数，可多次使用',
      { parse: collect },
    ],
    ...undeclaredOption,
    '--data <value>': [
      'value of the main input of each run; can be repeated',
      '每次运行的主输入，可多次使用',
      { parse: collect },
    ],
    '--attempts <count>': [
      'how often a failed run is tried, including the first time',
      '失败的运行最多尝试几次，包括第一次',
      { parse: countArgument(1, 20) },
    ],
    '--backoff <duration>': [
      'time before the second attempt (default: 10s)',
      '第二次尝试前等待多久（默认：10s）',
    ],
    '--paused': ['store it without switching it on', '保存但不开启'],
    '--dry-run': ['show what it would do, and store nothing', '只显示效果，不保存'],
    ...homeOption,
    ...jsonOption,
  })
    .description(tr('add a trigger', '添加触发器'))
    .addHelpText('after', exitCodesText)
    .action(addTrigger);
}

function pathOf(id: string): string {
  return `/api/triggers/${encodeURIComponent(id)}`;
}

/** Calls the service about a trigger. If there is no such trigger, the error names a similar one. */
async function about<Answer>(
  id: string,
  home: string | undefined,
  call: (client: ServiceClient, path: string) => Promise<Answer>,
): Promise<Answer> {
  const client = await ServiceClient.find(home);
  try {
    return await call(client, pathOf(id));
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== 'trigger-unknown') throw error;
    const { items } = await client.get<TriggerList>('/api/triggers');
    const nearest = nearestName(
      id,
      items.map((trigger) => trigger.id),
    );
    const shown = printable(id);
    const [meant, meantZh] =
      nearest === null
        ? ['', '']
        : [` Did you mean "${printable(nearest)}"?`, `是不是 “${printable(nearest)}”？`];
    throw userError(
      `There is no trigger "${shown}".${meant}\nTo list all triggers: hob triggers`,
      `没有触发器 “${shown}”。${meantZh}\nhob triggers 列出所有触发器。`,
    );
  }
}

async function showTrigger(id: string, { home, json }: CommonOptions): Promise<void> {
  await about(id, home, async (client, path) => {
    const trigger = await client.get<Trigger>(path);
    if (json === true) return printJson(trigger);
    const { items } = await client.get<FiringPage>(`${path}/slots?limit=${shownFirings}`);
    const { file } = await client.get<TriggerList>('/api/triggers');
    process.stdout.write(describeTrigger(trigger, items, file));
  });
}

async function listSlots(id: string, options: CommonOptions & { limit: number }): Promise<void> {
  const { home, json, limit } = options;
  const page = await about(id, home, (client, path) =>
    client.get<FiringPage>(`${path}/slots?limit=${limit}`),
  );
  printAnswer(page, json, describeFirings);
}

function describeFirings({ items, next }: FiringPage, lineWidth?: number): string {
  if (items.length === 0) return tr('This trigger has not fired yet.\n', '该触发器还没有触发过。\n');
  const more = tr('There are more. Use --limit to show them.', '还有更多：用 --limit 显示。');
  return `${[...firingLines(items, lineWidth), ...(next === null ? [] : ['', more])].join('\n')}\n`;
}

async function fire(
  id: string,
  { home, json, wait, data }: CommonOptions & { wait?: boolean; data?: string[] },
): Promise<void> {
  const isWatched = wait === true;
  const { client, fired } = await about(id, home, async (found, path) => {
    const body = data === undefined ? {} : { data: await firedData(found, path, data) };
    const headers = watchedHeaders(isWatched);
    return { client: found, fired: await found.post<Fired>(`${path}/fire`, body, { headers }) };
  });
  await showRun(fired, { client, isWatched, isJson: json === true, timeoutMs: null });
}

/** Makes paths absolute, because the script has another working directory. */
async function firedData(client: ServiceClient, path: string, values: readonly string[]): Promise<Json> {
  const { kind, script_id } = await client.get<Trigger>(path);
  if (kind === 'folder') return values.map((value) => resolve(value));
  // The service says why a trigger without a script cannot fire.
  return script_id === null ? [...values] : inputData(await getScript(client, script_id), values);
}

function describeSwitched({ id, state, words, problems }: Trigger): string {
  const now =
    state === 'off'
      ? tr(`The trigger ${id} is paused.`, `触发器 ${id} 已暂停。`)
      : tr(
          `The trigger ${id} is on${words === '' ? '' : `: ${words}`}.`,
          `触发器 ${id} 已开启${words === '' ? '' : `：${words}`}。`,
        );
  const lines = [
    printable(now),
    ...(state === 'off'
      ? []
      : problems.flatMap(({ message, advice }) => [printable(message), `  ${printable(advice)}`])),
  ];
  return `${lines.join('\n')}\n`;
}
