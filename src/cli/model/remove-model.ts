import type { JsonObject } from '../../shared/json.ts';
import { numberOf, objectsIn, textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import type { ServiceClient } from '../service-client.ts';
import { confirm } from '../terminal/confirm.ts';
import { formatBytes } from '../terminal/quantities.ts';
import { printable } from '../terminal/text-width.ts';

interface RemoveOptions {
  readonly place: string | undefined;
  readonly isConfirmed: boolean;
  readonly isDryRun: boolean;
}

/** Deletes a model after confirmation. Returns the response of the service. */
export async function removeModel(
  client: ServiceClient,
  repoId: string,
  { place, isConfirmed, isDryRun }: RemoveOptions,
): Promise<JsonObject> {
  const path = `/api/models/${repoId}`;
  const query = new URLSearchParams(place === undefined ? {} : { place });
  const trial = await client.delete(`${path}?${new URLSearchParams([...query, ['dry_run', 'true']])}`);
  if (isDryRun) return trial;
  if (!isConfirmed)
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

export function describeRemoval({ folder, freed_bytes }: JsonObject, isDryRun: boolean): string {
  const freed = formatBytes(numberOf(freed_bytes) ?? 0);
  const where = printable(textOf(folder) ?? '');
  return isDryRun
    ? tr(`Would delete ${where} and free ${freed}.\n`, `将删除 ${where}，释放 ${freed}。\n`)
    : tr(`Deleted ${where} and freed ${freed}.\n`, `已删除 ${where}，释放了 ${freed}。\n`);
}

/** Describes what would be deleted and which scripts need it. */
async function describeLoss(client: ServiceClient, repoId: string, trial: JsonObject): Promise<string> {
  const { items } = await client.get('/api/models');
  const model = objectsIn(items).find(
    ({ repo_id, needed_by }) => repo_id === repoId && needed_by !== undefined,
  );
  const scripts = objectsIn(model?.needed_by).map(({ script_name }) => textOf(script_name) ?? '');
  const needed =
    scripts.length === 0
      ? ''
      : tr(` Needed by: ${scripts.join(', ')}.`, `需要它的脚本：${scripts.join('、')}。`);
  const freed = formatBytes(numberOf(trial.freed_bytes) ?? 0);
  const folder = textOf(trial.folder) ?? '';
  const size = tr(`${repoId} in ${folder} uses ${freed}.`, `${repoId} 位于 ${folder}，占用 ${freed}。`);
  return printable(size + needed);
}
