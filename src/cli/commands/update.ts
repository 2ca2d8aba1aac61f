import type { Command } from 'commander';
import type { Operation } from '../../contract/types.ts';
import { type Installed, listInstalled, pickInstalled, sourceArgument } from '../installed-packages.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  exitCodesText,
  helpText,
  homeOption,
  noPrepareOption,
  scriptMeaning,
  withSignature,
} from '../options.ts';
import { carryOut, checkEnd } from '../package-operation.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { formatCount, printable, printableTexts } from '../terminal/text.ts';
import { exitCodes, UserError, usageError, userError } from '../user-error.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '[script...]': scriptMeaning,
    '--all': ['update all installed scripts', '更新所有已安装的脚本'],
    '--from <source>': [
      'get this and all later updates from another source (see hob install)',
      '以后改从此处获取，不再使用原来的来源（见 hob install）',
    ],
    '--ref <ref>': [
      'switch to another branch, tag or commit of the git repository',
      'git 仓库的另一个分支、标签或提交',
    ],
    '--path <path>': ['switch to another folder in the source', '来源中的另一个文件夹'],
    ...noPrepareOption,
    ...homeOption,
    '--json': [
      'print the finished operation as JSON (a list if there are several)',
      '输出操作结果的 JSON，供程序使用；多个时为列表',
    ],
  })
    .addHelpText('after', examples + exitCodesText)
    .action(update);
}

const examples = helpText(
  [
    'hob update "Resize images"',
    'hob update 2f0c5c5e --ref v1.1',
    'hob update 2f0c5c5e --from ./resize-images',
    'hob update --all',
  ],
  `Active runs keep the version they started with. If the new version has errors or its environment cannot be created, the current
version stays in place. The previous version is kept; hob rollback restores it.
`,
  `正在进行的运行继续使用开始时的版本。新版本如果有错误，或无法准备运行环境，不会取代可用的旧版本。旧版本会保留，可用 hob rollback 回退。
`,
);

interface UpdateOptions extends CommonOptions {
  all?: boolean;
  from?: string;
  ref?: string;
  path?: string;
  prepare?: boolean;
}

const nothingThere = tr(
  'No scripts are installed, so there is nothing to update.',
  '还没有安装任何脚本，没有可更新的。',
);

/** `hob update`: updates one script after the other. A failure does not stop the rest. */
async function update(wanted: readonly string[], options: UpdateOptions): Promise<void> {
  const { all: isAll = false, from, ref, path, json: isJson = false } = options;
  if (isAll && wanted.length > 0)
    throw usageError(
      'Specify the scripts to update or use --all, but not both.',
      '请指明要更新的脚本，或用 --all，不能同时使用。',
    );
  if (isAll && [from, ref, path].some((value) => value !== undefined))
    throw usageError(
      '--from, --ref and --path apply to a single script and cannot be used with --all.',
      '--from、--ref 和 --path 只用于单个脚本，不能与 --all 同时使用。',
    );
  if (wanted.length > 1 && [from, ref, path].some((value) => value !== undefined))
    throw usageError(
      '--from, --ref and --path apply to a single script. Update the scripts one by one.',
      '--from、--ref 和 --path 只用于单个脚本，请逐个更新。',
    );
  const client = await ServiceClient.find(options.home);
  const targets = await choose(client, wanted, isAll);
  const body = {
    ...(from !== undefined && { source: await sourceArgument(from) }),
    ...(ref !== undefined && { ref }),
    ...(path !== undefined && { path }),
    prepare: options.prepare !== false,
  };
  const isSingle = targets.length === 1 && !isAll;
  const answers: Operation[] = [];
  let failed = 0;
  for (const target of targets) {
    try {
      const answer = await updateOne(client, target, body);
      answers.push(answer);
      if (isSingle && isJson) printJson(answer);
      checkEnd(answer, printable(target.name));
      if (isJson) continue;
      const after = (await listInstalled(client)).find(({ id }) => id === target.id);
      process.stdout.write(describeUpdated(answer, target, after));
    } catch (error) {
      // Ctrl-C ends all updates.
      if (isSingle || !(error instanceof UserError) || error.exitCode !== exitCodes.failed) throw error;
      failed++;
      process.stderr.write(`${error.message}\n`);
    }
  }
  if (isSingle) return;
  if (isJson) printJson({ items: answers, next: null });
  if (failed > 0)
    throw userError(
      `${failed} of ${formatCount(targets.length, 'script')} could not be updated.`,
      `${targets.length} 个脚本中有 ${failed} 个未能更新。`,
    );
  if (targets.length === 0 && !isJson) process.stdout.write(`${nothingThere}\n`);
}

/** The packages to update, without duplicates. */
async function choose(
  client: ServiceClient,
  wanted: readonly string[],
  isAll: boolean,
): Promise<Installed[]> {
  if (isAll) return listInstalled(client);
  const chosen = new Map<string, Installed>();
  for (const each of wanted) {
    const target = await pickInstalled(client, each);
    chosen.set(target.id, target);
  }
  if (chosen.size > 0) return [...chosen.values()];
  const installed = await listInstalled(client);
  if (installed.length === 0) throw new UserError(nothingThere, exitCodes.usage);
  const names = printable(installed.map(({ name, id }) => `  ${id}  ${name}`).join('\n'));
  throw usageError(
    `Specify the scripts to update, or use --all. Installed scripts:\n${names}`,
    `请指明要更新的脚本，或用 --all。已安装的有：\n${names}`,
  );
}

function updateOne(client: ServiceClient, { id, name }: Installed, body: object): Promise<Operation> {
  return carryOut(client, {
    path: `/api/packages/${encodeURIComponent(id)}/update`,
    body,
    subject: printable(name),
    onStop: tr(
      `Cancelled the update of ${printable(name)}. The installed version is unchanged.`,
      `已停止更新 ${printable(name)}，保留原来的版本。`,
    ),
  });
}

function describeUpdated(operation: Operation, before: Installed, after: Installed | undefined): string {
  const { script_name, version, script_id } = printableTexts(operation);
  const name = script_name ?? printable(before.name);
  const now = version ?? tr('the current version', '当前版本');
  // An up-to-date package is not installed again.
  const isChanged = after?.installed_at !== before.installed_at || after?.version !== before.version;
  const old = before.version === null ? null : printable(before.version);
  if (!isChanged)
    return tr(
      `${name} is unchanged${old === null ? '' : ` at ${old}`}.\n`,
      `${name} 保持${old === null ? '不变' : `在 ${old}`}。\n`,
    );
  const was = old === null ? '' : tr(` (was ${old})`, `（原为 ${old}）`);
  const what =
    version === before.version
      ? tr(`Updated ${name}. The version is still ${now}.`, `已更新 ${name}，版本仍为 ${now}。`)
      : tr(`Updated ${name} to ${now}${was}.`, `已将 ${name} 更新到 ${now}${was}。`);
  // A package with a damaged record has no previous version.
  return after !== undefined && after.previous !== null
    ? `${what}\n${tr('To roll back: ', '如需回退：')}hob rollback ${script_id ?? before.id}\n`
    : `${what}\n`;
}
