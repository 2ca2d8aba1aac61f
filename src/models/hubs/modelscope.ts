import { isJsonObject } from '../../shared/json.ts';
import type { RepoId } from '../repo-id.ts';
import { askForJson, Hub } from './ask-hub.ts';
import {
  badEntry,
  checkFiles,
  checkPath,
  checkRevision,
  isSha256,
  isSize,
  mostFiles,
  tooMany,
} from './check-values.ts';
import type { HubFile, RepoListing } from './hub.ts';
import { badAnswer } from './hub-errors.ts';

const listBytes = 64 * 1024 * 1024;
const defaultRevision = 'master';

/** ModelScope, or a server with the same API. */
export class ModelScopeHub extends Hub {
  readonly source = 'modelscope';

  async list(repo: RepoId, wanted: string | null, signal: AbortSignal): Promise<RepoListing> {
    const revision = checkRevision(wanted ?? defaultRevision);
    const asking = await this.asking(repo, wanted, signal);
    const { host } = asking.endpoint;
    const url = this.#address(repo, 'repo/files', { Revision: revision, Recursive: 'True' });
    const { document } = await askForJson(url, { ...asking, maxBytes: listBytes });
    const data = isJsonObject(document) ? document.Data : undefined;
    const entries = isJsonObject(data) ? data.Files : undefined;
    if (!Array.isArray(entries))
      throw badAnswer(host, { en: 'sent an invalid list of files', zh: '返回的文件列表无效' });
    if (entries.length > 2 * mostFiles) throw tooMany(host);
    const files = entries.map((entry) => parseEntry(entry, host)).filter((file) => file !== null);
    checkFiles(host, files);
    return { snapshot: revision, ref: null, files };
  }

  protected addressOf(repo: RepoId, snapshot: string, { path }: HubFile): URL {
    return this.#address(repo, 'repo', { Revision: snapshot, FilePath: path });
  }

  protected credentialsOf(token: string) {
    return { cookie: `m_session_id=${encodeURIComponent(token)}` };
  }

  #address({ owner, name }: RepoId, what: string, query: Record<string, string>): URL {
    const url = new URL(`api/v1/models/${owner}/${name}/${what}`, this.endpoint);
    url.search = new URLSearchParams(query).toString();
    return url;
  }
}

/** Parses an entry of the list; null for a folder. */
function parseEntry(entry: unknown, host: string): HubFile | null {
  if (!isJsonObject(entry)) throw badEntry(host, 'entry', null, entry);
  if (entry.Type === 'tree') return null;
  const path = checkPath(host, entry.Path);
  const { Type: type, Size: size, Sha256: sha256 } = entry;
  if (type !== 'blob') throw badEntry(host, 'type', path, type);
  if (!isSize(size)) throw badEntry(host, 'size', path, size);
  // Without a hash, the received content cannot be verified.
  if (!isSha256(sha256)) throw badEntry(host, 'hash', path, sha256);
  const record = { size, blob_id: sha256, lfs_sha256: sha256, lfs_size: size };
  return { path, sizeBytes: size, content: { kind: 'sha256', hex: sha256 }, record };
}
