import type { DownloadRequest } from '../api/wire.ts';

type Source = NonNullable<DownloadRequest['source']>;

const hosts: readonly (readonly [RegExp, Source])[] = [
  [/(?:^|\.)huggingface\.co$|^hf-mirror\.com$/, 'huggingface'],
  [/(?:^|\.)modelscope\.(?:cn|ai)$/, 'modelscope'],
];

/** Parses a repo id or the URL of a model page, which also names the source. */
export function parseRepo(text: string): { repoId: string; source: Source | null } {
  const typed = text.trim();
  if (!/^https?:\/\//.test(typed) || !URL.canParse(typed)) return { repoId: typed, source: null };
  const { hostname, pathname } = new URL(typed);
  const source = hosts.find(([host]) => host.test(hostname))?.[1] ?? null;
  const [owner, name] = pathname
    .replace(/^\/models\//, '/')
    .split('/')
    .filter(Boolean);
  return owner === undefined || name === undefined
    ? { repoId: typed, source }
    : { repoId: `${owner}/${name}`, source };
}

/** Splits patterns at line breaks and commas. */
export function parsePatterns(text: string): string[] {
  return text
    .split(/[\n,，]/)
    .map((pattern) => pattern.trim())
    .filter(Boolean);
}
