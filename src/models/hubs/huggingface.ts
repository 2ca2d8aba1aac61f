import { isJsonObject } from '../../shared/json.ts';
import { formatRepoId, type RepoId } from '../repo-id.ts';
import { askForJson, Hub } from './ask-hub.ts';
import {
  badEntry,
  checkFiles,
  checkPath,
  checkRevision,
  isGitSha,
  isSha256,
  isSize,
  mostFiles,
  tooMany,
} from './check-values.ts';
import type { HubFile, RepoListing } from './hub.ts';
import { badAnswer } from './hub-errors.ts';

const mostPages = 2000;
const pageBytes = 16 * 1024 * 1024;
const defaultRevision = 'main';

export class HuggingFaceHub extends Hub {
  readonly source = 'huggingface';

  async list(repo: RepoId, wanted: string | null, signal: AbortSignal): Promise<RepoListing> {
    const revision = checkRevision(wanted ?? defaultRevision);
    const asking = await this.asking(repo, wanted, signal);
    const { endpoint } = asking;
    const model = `api/models/${formatRepoId(repo)}`;
    const about = new URL(`${model}/revision/${encodeURIComponent(revision)}`, endpoint);
    const { document } = await askForJson(about, { ...asking, maxBytes: pageBytes });
    const commit = isJsonObject(document) ? document.sha : undefined;
    if (!isGitSha(commit))
      throw badAnswer(endpoint.host, {
        en: 'did not name a commit of the model',
        zh: '没有给出模型的提交号',
      });

    const files: HubFile[] = [];
    const start = new URL(`${model}/tree/${commit}?recursive=true`, endpoint);
    for await (const entries of pagesOf(start, (page) =>
      askForJson(page, { ...asking, maxBytes: pageBytes }),
    )) {
      for (const entry of entries) {
        const file = parseEntry(entry, endpoint.host);
        if (file !== null) files.push(file);
      }
      if (files.length > mostFiles) throw tooMany(endpoint.host);
    }
    checkFiles(endpoint.host, files);
    return { snapshot: commit, ref: revision === commit ? null : revision, files };
  }

  protected addressOf(repo: RepoId, snapshot: string, { path }: HubFile): URL {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    return new URL(`${formatRepoId(repo)}/resolve/${snapshot}/${encoded}`, this.endpoint);
  }

  protected credentialsOf(token: string) {
    return { authorization: `Bearer ${token}` };
  }
}

type Answer = Awaited<ReturnType<typeof askForJson>>;

/**
 * The pages of a list. Each page names the next one. The number of pages is limited, because a server could send an endless
 * list or a loop.
 */
async function* pagesOf(start: URL, ask: (page: URL) => Promise<Answer>): AsyncGenerator<readonly unknown[]> {
  const { host, origin } = start;
  let page: URL | null = start;
  for (let count = 0; page !== null; count++) {
    if (count === mostPages) throw tooMany(host);
    const { document, headers }: Answer = await ask(page);
    if (!Array.isArray(document))
      throw badAnswer(host, { en: 'sent an invalid list of files', zh: '返回的文件列表无效' });
    yield document;
    page = nextPage(headers.link, page);
    // The request carries credentials, so the next page must be on the same origin.
    if (page !== null && (page.origin !== origin || document.length === 0))
      throw badAnswer(host, { en: 'names a next page that cannot be one', zh: '给出的下一页地址无效' });
  }
}

function nextPage(link: string | string[] | undefined, from: URL): URL | null {
  const text = Array.isArray(link) ? link.join(', ') : (link ?? '');
  const target = /<([^<>]*)>\s*;[^<]*\brel="?next"?/i.exec(text)?.[1];
  if (target === undefined) return null;
  if (!URL.canParse(target, from.href))
    throw badAnswer(from.host, { en: 'names a next page that cannot be one', zh: '给出的下一页地址无效' });
  return new URL(target, from);
}

/** Parses an entry of the list; null for a folder. */
function parseEntry(entry: unknown, host: string): HubFile | null {
  if (!isJsonObject(entry)) throw badEntry(host, 'entry', null, entry);
  if (entry.type === 'directory') return null;
  const path = checkPath(host, entry.path);
  if (entry.type !== 'file') throw badEntry(host, 'type', path, entry.type);
  const { oid, size, lfs, xetHash } = entry;
  if (!isGitSha(oid)) throw badEntry(host, 'hash', path, oid);
  if (!isSize(size)) throw badEntry(host, 'size', path, size);
  if (lfs === undefined || lfs === null) {
    const record = { size, blob_id: oid };
    return { path, sizeBytes: size, content: { kind: 'git-sha1', hex: oid }, record };
  }
  if (!isJsonObject(lfs)) throw badEntry(host, 'hash', path, lfs);
  if (!isSha256(lfs.oid)) throw badEntry(host, 'hash', path, lfs.oid);
  if (!isSize(lfs.size)) throw badEntry(host, 'size', path, lfs.size);
  const record = {
    size: lfs.size,
    blob_id: oid,
    lfs_sha256: lfs.oid,
    lfs_size: lfs.size,
    ...(isSha256(xetHash) && { xet_hash: xetHash }),
  };
  return { path, sizeBytes: lfs.size, content: { kind: 'sha256', hex: lfs.oid }, record };
}
