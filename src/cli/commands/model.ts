import type { Command } from 'commander';
import { formatBytes } from '../../contract/quantities.ts';
import type { DownloadList, Model, ModelList, ModelRemoved } from '../../contract/types.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  exitCodesText,
  helpText,
  homeOption,
  jsonOption,
  withSignature,
} from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { confirm } from '../terminal/ask.ts';
import { printAnswer } from '../terminal/print.ts';
import { type Column, formatCount, formatTable, printable } from '../terminal/text.ts';
import { usageError, userError } from '../user-error.ts';
import { findModel, pull, stopDownload } from './model/pull.ts';

/** Only names of the form `owner/name` go into a URL. The service checks the rest. */
const repoPattern = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

const repoMeaning = ['model, as owner/name', '模型名称，格式为 owner/name', { parse: checkRepoId }] as const;

interface RemoveOptions extends CommonOptions {
  place?: string;
  yes?: boolean;
  dryRun?: boolean;
}

export function configure(command: Command): void {
  command.helpCommand(false).addHelpText('after', exitCodesText);

  withSignature(command.command('list'), { ...homeOption, ...jsonOption })
    .description(
      tr(
        'list the models on this machine and those that scripts need',
        '列出这台电脑上的模型，以及脚本需要的模型',
      ),
    )
    .action(async (options: CommonOptions) => {
      const client = await ServiceClient.find(options.home);
      printAnswer(await client.get<ModelList>('/api/models'), options.json, describeModels);
    });

  withSignature(command.command('path'), { '<repo>': repoMeaning, ...homeOption, ...jsonOption })
    .description(tr('print the folder of a model', '只输出模型所在的文件夹'))
    .addHelpText('after', pathExamples)
    .action(async (repo: string, options: CommonOptions) => {
      const answer = await findModel(await ServiceClient.ofRunOrHome(options.home), repo);
      printAnswer(answer, options.json, ({ path }) => `${path}\n`);
    });

  withSignature(command.command('pull'), {
    '[repo]': repoMeaning,
    '--source <source>': [
      'huggingface or modelscope (default: as scripts declare, or huggingface)',
      'huggingface 或 modelscope（默认：脚本声明的来源，否则为 huggingface）',
    ],
    '--files <glob...>': [
      'only files that match one of these patterns (default: as scripts declare, or all)',
      '只下载匹配其中之一的文件（默认：脚本声明的文件，否则为全部）',
    ],
    '--revision <revision>': [
      'branch, tag or commit (default: chosen by the source)',
      '分支、标签或提交（默认：由来源决定）',
    ],
    '--for <script>': [
      'download all missing models that this script declares (slug, id or name)',
      '下载此脚本声明的、尚缺的所有模型；用脚本的 slug、ID 或名称指定',
    ],
    ...homeOption,
    ...jsonOption,
  })
    .description(
      tr(
        'download a model, or all models that a script needs',
        '下载一个模型，或脚本需要的所有模型，并显示进度',
      ),
    )
    .addHelpText('after', pullExamples)
    .action(pull);

  withSignature(command.command('cancel'), { '<repo>': repoMeaning, ...homeOption })
    .description(
      tr('cancel the download of a model; the downloaded part is kept', '停止下载模型，已下载的部分会保留'),
    )
    .action(async (repo: string, options: CommonOptions) => {
      process.stdout.write(await cancelDownload(await ServiceClient.find(options.home), repo));
    });

  withSignature(command.command('rm'), {
    '<repo>': repoMeaning,
    '--place <place>': [
      'which copy to delete, if there are several: own, huggingface, modelscope or extra',
      '有多份时指定位置：own、huggingface、modelscope 或 extra',
    ],
    '--yes': ['do not ask for confirmation', '不询问，直接执行'],
    '--dry-run': ['show what would be deleted, but delete nothing', '只说明会删除什么，不实际删除'],
    ...homeOption,
    ...jsonOption,
  })
    .description(
      tr('show how much space a model uses, ask, and delete it', '删除模型，删除前说明可释放多少空间'),
    )
    .addHelpText('after', removeExamples)
    .action(async (repo: string, options: RemoveOptions) => {
      const answer = await removeModel(await ServiceClient.find(options.home), repo, options);
      printAnswer(answer, options.json, (removed) => describeRemoval(removed, options.dryRun === true));
    });
}

const pathExamples = tr(
  `
Example: python recognise.py "$(hob model path openai/whisper-tiny)"
Exits with 1 if the model is missing or incomplete.`,
  `
示例：python recognise.py "$(hob model path openai/whisper-tiny)"
模型不存在或不完整时，退出码为 1。`,
);

const pullExamples = helpText(
  [
    'hob model pull openai/whisper-tiny',
    'hob model pull acme/detector --files "*.onnx" config.json',
    'hob model pull acme/detector --source modelscope --revision v1.0',
    'hob model pull --for "Resize images"',
  ],
  `The service downloads the model; this command shows the progress. Ctrl-C cancels the download, unless another client started it.
The downloaded part is kept: the same command resumes the download.`,
  `下载由服务完成，此命令只显示进度。按 Ctrl-C 会停止下载，除非下载是由别人发起的。已下载的部分会保留，再次运行同一命令即可继续。`,
);

const removeExamples = `
${tr('Examples:', '示例：')}
  hob model rm openai/whisper-tiny --dry-run
  hob model rm openai/whisper-tiny --yes`;

function checkRepoId(text: string): string {
  if (repoPattern.test(text)) return text;
  const shown = JSON.stringify(text);
  throw usageError(
    `Invalid model name ${shown}: expected <owner>/<name>.`,
    `模型名称的格式是 <owner>/<name>，而不是 ${shown}。`,
  );
}

/** Cancels all downloads of a model: there may be one per source. Returns the message to print. */
async function cancelDownload(client: ServiceClient, repoId: string): Promise<string> {
  const { items } = await client.get<DownloadList>('/api/models/downloads');
  const underWay = items.filter(({ repo_id, state }) => repo_id === repoId && state === 'running');
  if (underWay.length === 0)
    throw userError(`No download of ${repoId} is in progress.`, `${repoId} 没有在下载。`);
  for (const { download_id } of underWay) await stopDownload(download_id, client);
  return tr(
    `Cancelled the download of ${repoId}. The downloaded part is kept. To resume: hob model pull ${repoId}\n`,
    `已停止下载 ${repoId}。已下载的部分会保留，用 hob model pull ${repoId} 即可继续。\n`,
  );
}

const states = {
  complete: tr('complete', '完整'),
  partial: tr('partial', '不完整'),
  missing: tr('missing', '缺失'),
};

const columns: readonly Column<Model>[] = [
  [tr('MODEL', '模型'), ({ repo_id }) => repo_id],
  [tr('PLACE', '位置'), ({ state, place }) => (state === 'missing' ? '-' : (place ?? ''))],
  [
    tr('SIZE', '大小'),
    ({ state, size_bytes }) => (state === 'missing' ? '-' : formatBytes(size_bytes)),
    { isNumber: true },
  ],
  [
    tr('STATE', '状态'),
    // A model can have several copies; scripts use only one of them.
    ({ state, is_used }) =>
      state === 'complete' && !is_used ? tr('complete, not used', '完整，未使用') : states[state],
  ],
  [
    tr('NEEDED BY', '需要它的脚本'),
    ({ needed_by }) => needed_by.map(({ script_name }) => script_name).join(', '),
  ],
];

export function describeModels({ items: models }: ModelList, lineWidth?: number): string {
  if (models.length === 0)
    return tr(
      'There are no models yet. To download one: hob model pull <owner>/<name>\n',
      '还没有模型。下载一个：hob model pull <owner>/<name>\n',
    );
  const lines = formatTable(models, columns, lineWidth);
  const missing = models.filter(({ state }) => state === 'missing').length;
  const bytes = models.reduce((sum, model) => sum + model.size_bytes, 0);
  const here = models.length - missing;
  const size = formatBytes(bytes);
  const sum = tr(`${formatCount(here, 'model')}, ${size}`, `${here} 个模型，共 ${size}`);
  const lack = missing === 0 ? '' : tr(`; ${missing} missing`, `；缺少 ${missing} 个`);
  return `${[...lines, '', sum + lack].join('\n')}\n`;
}

async function removeModel(
  client: ServiceClient,
  repoId: string,
  { place, yes, dryRun }: RemoveOptions,
): Promise<ModelRemoved> {
  const path = `/api/models/${repoId}`;
  const query = new URLSearchParams(place === undefined ? {} : { place });
  const trial = await client.delete<ModelRemoved>(
    `${path}?${new URLSearchParams([...query, ['dry_run', 'true']])}`,
  );
  if (dryRun === true) return trial;
  if (yes !== true)
    await confirm({
      text: `${await describeLoss(client, repoId, trial)}\n${tr('Delete it? [y/N] ', '要删除吗？[y/N] ')}`,
      withoutTerminal: tr(
        'Nothing was deleted, because there is no terminal to ask for confirmation. Use --yes to delete, or --dry-run to preview.',
        '没有删除任何内容：没有可供询问的终端。加上 --yes 直接删除，或先用 --dry-run 查看。',
      ),
      onNo: tr('Nothing was deleted.', '没有删除任何内容。'),
    });
  return client.delete(query.size === 0 ? path : `${path}?${query}`);
}

function describeRemoval({ folder, freed_bytes }: ModelRemoved, isDryRun: boolean): string {
  const freed = formatBytes(freed_bytes);
  const where = printable(folder);
  return isDryRun
    ? tr(`Would delete ${where} and free ${freed}.\n`, `将删除 ${where}，释放 ${freed}。\n`)
    : tr(`Deleted ${where} and freed ${freed}.\n`, `已删除 ${where}，释放了 ${freed}。\n`);
}

async function describeLoss(client: ServiceClient, repoId: string, trial: ModelRemoved): Promise<string> {
  const { items } = await client.get<ModelList>('/api/models');
  const model = items.find(({ repo_id }) => repo_id === repoId);
  const scripts = model?.needed_by.map(({ script_name }) => script_name) ?? [];
  const needed =
    scripts.length === 0
      ? ''
      : tr(` Needed by: ${scripts.join(', ')}.`, `需要它的脚本：${scripts.join('、')}。`);
  const { folder } = trial;
  const freed = formatBytes(trial.freed_bytes);
  const size = tr(`${repoId} in ${folder} uses ${freed}.`, `${repoId} 位于 ${folder}，占用 ${freed}。`);
  return printable(size + needed);
}
