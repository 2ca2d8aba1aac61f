import { brief } from '../../shared/brief.ts';
import { AppError } from '../../shared/errors.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import type { HubAccess, Part } from './hub.ts';

const longestTokenBytes = 4096;

/** The address of a hub. It ends with a slash, so that relative paths can be appended. */
export function parseEndpoint({ endpoint }: HubAccess): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  const isWeb = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  if (!isWeb || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    // Do not quote an address that may contain a password.
    const shown = endpoint.includes('@') ? '' : ` ${brief(endpoint)}`;
    throw new AppError(
      'hub-unreachable',
      {
        en: `The address of the hub${shown} is not valid.`,
        zh: `模型站点的地址${shown}无法使用。`,
      },
      {
        hint: {
          en: 'Use an address such as https://huggingface.co. Correct huggingface_endpoint or modelscope_endpoint in the settings, or HF_ENDPOINT or MODELSCOPE_ENDPOINT, then restart Hob.',
          zh: '应类似 https://huggingface.co。请修改设置 huggingface_endpoint / modelscope_endpoint 或环境变量 HF_ENDPOINT / MODELSCOPE_ENDPOINT，然后重启 Hob。',
        },
      },
    );
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** The token to send. Null if there is none, or if it has characters that are invalid in a header. */
export async function readToken({ token, tokenFile }: HubAccess): Promise<string | null> {
  if (token !== null) return usable(token);
  if (tokenFile === null) return null;
  const read = await readRegularFile(tokenFile, { maxBytes: longestTokenBytes });
  return read.kind === 'content' ? usable(read.bytes.toString()) : null;
}

function usable(text: string): string | null {
  const token = text.trim();
  return /^[\x21-\x7E]+$/.test(token) ? token : null;
}

export function refuseOffline({ isOffline }: HubAccess): void {
  if (!isOffline) return;
  throw new AppError(
    'hub-unreachable',
    {
      en: 'Downloads from Hugging Face are disabled, because HF_HUB_OFFLINE is set.',
      zh: '已设置 HF_HUB_OFFLINE，不会从 Hugging Face 下载。',
    },
    {
      hint: {
        en: 'Unset HF_HUB_OFFLINE, then restart Hob.',
        zh: '请取消设置 HF_HUB_OFFLINE 并重启 Hob。',
      },
    },
  );
}

/** Headers that request a file from an offset on, if the file has not changed. */
export function rangeHeaders({ offset, etag }: Part): Record<string, string> {
  if (offset === 0) return {};
  return { range: `bytes=${offset}-`, ...(etag !== null && { 'if-range': etag }) };
}

/** Encodes a path for a URL. Slashes stay. */
export function inAddress(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
