import { objectsIn } from '../answer-fields.ts';
import { tr } from '../language.ts';
import type { ServiceClient } from '../service-client.ts';
import { UserError } from '../user-error.ts';
import { readDownload } from './download.ts';
import { stopDownload } from './follow-download.ts';

/** Cancels all downloads of a model: there may be one per source. Returns the message to print. */
export async function cancelDownload(client: ServiceClient, repoId: string): Promise<string> {
  const { items } = await client.get('/api/models/downloads');
  const underWay = objectsIn(items)
    .map(readDownload)
    .filter((download) => download.repoId === repoId && download.state === 'running');
  if (underWay.length === 0)
    throw new UserError(tr(`No download of ${repoId} is in progress.`, `${repoId} 没有在下载。`));
  for (const { id } of underWay) await stopDownload(id, client);
  return tr(
    `Cancelled the download of ${repoId}. The downloaded part is kept. To resume: hob model pull ${repoId}\n`,
    `已停止下载 ${repoId}。已下载的部分会保留，用 hob model pull ${repoId} 即可继续。\n`,
  );
}
