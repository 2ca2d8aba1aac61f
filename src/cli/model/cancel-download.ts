import { objectsIn } from '../answer-fields.ts';
import { tr } from '../language.ts';
import type { ServiceClient } from '../service-client.ts';
import { UserError } from '../user-error.ts';
import { readDownload } from './download.ts';
import { stopDownload } from './follow-download.ts';

/** Stops all downloads of a model: there may be one from each source. Returns what is said then. */
export async function cancelDownload(client: ServiceClient, repoId: string): Promise<string> {
  const { items } = await client.get('/api/models/downloads');
  const underWay = objectsIn(items)
    .map(readDownload)
    .filter((download) => download.repoId === repoId && download.state === 'running');
  if (underWay.length === 0)
    throw new UserError(tr(`${repoId} is not being downloaded.`, `${repoId} 没有在下载。`));
  for (const { id } of underWay) await stopDownload(id, client);
  return tr(
    `The download of ${repoId} was stopped. What is there already is kept: hob model pull goes on from there.\n`,
    `已停止下载 ${repoId}。已下载的部分会保留，用 hob model pull 即可继续。\n`,
  );
}
