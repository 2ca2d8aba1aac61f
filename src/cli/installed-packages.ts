import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { objectsIn, textOf } from './answer-fields.ts';
import {
  exactMatches,
  guessScript,
  type KnownScript,
  scriptsIn,
  shortId,
  UnknownScriptError,
} from './find-script.ts';
import { tr } from './language.ts';
import type { ServiceClient } from './service-client.ts';
import { formatCount, formatMinute } from './terminal/quantities.ts';
import { formatTable } from './terminal/table.ts';
import { printable } from './terminal/text-width.ts';
import { UserError } from './user-error.ts';

export interface InstalledPackage extends KnownScript {
  readonly version: string | null;
  /** Version of the previous installation, if there is one and its manifest declares a version. */
  readonly previousVersion: string | null;
  readonly canRollBack: boolean;
  /** When the current version was installed. */
  readonly installedAt: string | null;
}

/** The installed packages from GET /api/packages. */
export async function listInstalled(client: ServiceClient): Promise<InstalledPackage[]> {
  const { items } = await client.get('/api/packages');
  return objectsIn(items).map((item) => ({
    id: textOf(item.script_id) ?? '',
    name: textOf(item.name) ?? '',
    version: textOf(item.version),
    canRollBack: isJsonObject(item.previous),
    previousVersion: isJsonObject(item.previous) ? textOf(item.previous.version) : null,
    installedAt: textOf(item.installed_at),
  }));
}

/** Finds an installed package. For a script in a folder of the user, the error says that it is not installed. */
export async function pickInstalled(client: ServiceClient, wanted: string): Promise<InstalledPackage> {
  const installed = await listInstalled(client);
  try {
    return guessScript(installed, wanted);
  } catch (error) {
    if (!(error instanceof UnknownScriptError)) throw error;
    await refuseUserScript(client, wanted);
    const shown = printable(wanted);
    const advice =
      installed.length === 0
        ? tr('No scripts are installed.', '还没有安装任何脚本。')
        : tr('To list installed scripts: hob packages', '用 hob packages 可列出已安装的脚本。');
    throw new UserError(
      tr(
        `No installed script matches "${shown}". ${advice}`,
        `已安装的脚本中没有匹配 “${shown}” 的。${advice}`,
      ),
    );
  }
}

/** Throws if the name belongs to a script in a folder of the user, which Hob does not change or remove. */
async function refuseUserScript(client: ServiceClient, wanted: string): Promise<void> {
  const { scripts } = await client.get('/api/scripts');
  const [own] = exactMatches(scriptsIn(scripts), wanted);
  if (own === undefined) return;
  const [name, folder] = [printable(own.name), printable(own.folder ?? '')];
  throw new UserError(
    tr(
      `${name} is not an installed script, but a script in your own folder ${folder}. To remove it, delete the folder.`,
      `${name} 不是安装的脚本，而是您自己的文件夹中的脚本：${folder}。如需移除，请删除该文件夹。`,
    ),
  );
}

const columns = [
  { title: tr('NAME', '名称') },
  { title: tr('VERSION', '版本') },
  { title: 'ID' },
  { title: tr('INSTALLED', '安装时间') },
  // The last column, because it may be long and lines are cut at the end.
  { title: tr('SOURCE', '来源') },
];

/** Formats the response of GET /api/packages. */
export function describePackages({ items }: JsonObject, lineWidth?: number): string {
  const packages = objectsIn(items);
  if (packages.length === 0)
    return tr(
      'No scripts are installed yet. To install one: hob install <folder, archive or git URL>\n',
      '还没有安装任何脚本。安装一个：hob install <文件夹、压缩包或 git 地址>\n',
    );
  const ids = packages.map(({ script_id }) => textOf(script_id) ?? '');
  const lines = formatTable(
    columns,
    packages.map((item) => rowOf(item, ids)),
    lineWidth,
  );
  const broken = packages.filter(({ state }) => state === 'broken').length;
  const count = tr(formatCount(packages.length, 'package'), `${packages.length} 个脚本包`);
  const faults =
    broken === 0
      ? ''
      : tr(`; ${broken} broken (see hob doctor)`, `；${broken} 个已损坏：用 hob doctor 查看原因`);
  return `${[...lines, '', count + faults].join('\n')}\n`;
}

function rowOf(item: JsonObject, ids: readonly string[]): string[] {
  const version = textOf(item.version) ?? '-';
  return [
    textOf(item.name) ?? '',
    item.state === 'broken' ? tr(`${version} (broken)`, `${version}（已损坏）`) : version,
    shortId(textOf(item.script_id) ?? '', ids),
    formatMinute(textOf(item.installed_at)),
    describeSource(isJsonObject(item.source) ? item.source : {}),
  ];
}

/** The source on one line: `https://host/repo#v1.0 scripts/one (1a2b3c4)`. */
function describeSource(source: JsonObject): string {
  const [ref, path, commit] = [textOf(source.ref), textOf(source.path), textOf(source.commit)];
  const location = `${textOf(source.location) ?? ''}${ref === null ? '' : `#${ref}`}`;
  return [
    location,
    ...(path === null ? [] : [path]),
    ...(commit === null ? [] : [`(${commit.slice(0, 7)})`]),
  ].join(' ');
}
