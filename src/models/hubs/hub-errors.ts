import type { ModelSource } from '../../contract/values.ts';
import { AppError } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import { formatRepoId, type RepoId } from '../repo-id.ts';

export interface RefusalContext {
  readonly repo: RepoId;
  readonly source: ModelSource;
  readonly endpoint: URL;
  readonly revision: string | null;
  readonly hasToken: boolean;
}

interface HubRefusal extends RefusalContext {
  readonly errorCode: string | null;
  readonly waitMs: number | null;
}

/** The error for a server that cannot be reached or fails temporarily. */
export function unreachable(host: string, reason: string, cause?: unknown): AppError {
  return new AppError('hub-unreachable', {
    en: `${host} cannot be reached, or closed the connection: ${reason}.`,
    zh: `无法连接 ${host} 或连接中断：${reason}。`,
    cause,
    hint: {
      en: 'Try again later. Hob keeps the received data, and the download resumes from there. To use another address, set HF_ENDPOINT or MODELSCOPE_ENDPOINT.',
      zh: '请稍后重试：已下载的部分会保留并续传。可用 HF_ENDPOINT 或 MODELSCOPE_ENDPOINT 设置其他地址。',
    },
  });
}

/** The error for an invalid response. No part of the response is used. */
export function badAnswer(host: string, what: Text): AppError {
  return new AppError('hub-answer-invalid', {
    en: `${host} ${what.en}.`,
    zh: `${host}：${what.zh}。`,
    hint: {
      en: 'Hob did not use the response. Make sure that the address belongs to a hub that you trust.',
      zh: '其内容未被使用。请确认该地址是可信的模型站点。',
    },
  });
}

/** Maps an error status of a hub to an error with a hint for the user. */
export function refusalOf(status: number, refusal: HubRefusal): AppError {
  const { endpoint, errorCode, waitMs } = refusal;
  const { host } = endpoint;
  if (errorCode === 'GatedRepo') return licenceNeeded(refusal);
  if (status === 401 || status === 403) return denied(status, refusal);
  if (status === 404 || status === 400 || status === 410) return notFound(refusal);
  if (status === 429) {
    const wait = waitMs === null ? null : Math.ceil(waitMs / 1000);
    return new AppError('hub-unreachable', {
      en: `${host} received too many requests (429).`,
      zh: `${host} 表示请求过于频繁（429）。`,
      ...(wait !== null && { retryAfterS: wait }),
      hint: {
        en: `Try again ${wait === null ? 'later' : `in ${wait} s`}. Hob keeps the received data. The limit is higher with a token (${tokenName(refusal)}).`,
        zh: `请${wait === null ? '稍后' : `在 ${wait} 秒后`}重试，已下载的部分会保留。设置令牌（${tokenName(refusal)}）可提高限额。`,
      },
    });
  }
  return unreachable(host, `status ${status}`);
}

function tokenName({ source }: RefusalContext): string {
  return source === 'huggingface' ? 'HF_TOKEN' : 'MODELSCOPE_API_TOKEN';
}

function pageOf(context: RefusalContext): string {
  const base = context.endpoint.href.replace(/\/$/, '');
  return context.source === 'huggingface'
    ? `${base}/${formatRepoId(context.repo)}`
    : `${base}/models/${formatRepoId(context.repo)}`;
}

function licenceNeeded(refusal: HubRefusal): AppError {
  return new AppError('hub-denied', {
    en: `${formatRepoId(refusal.repo)} requires that you accept its licence.`,
    zh: `${formatRepoId(refusal.repo)} 需要先同意其许可协议才能下载。`,
    hint: {
      en: `Accept it at ${pageOf(refusal)}, set ${tokenName(refusal)} to a token of that account, then restart Hob.`,
      zh: `请在 ${pageOf(refusal)} 同意协议，将 ${tokenName(refusal)} 设为该账号的令牌，然后重启 Hob。`,
    },
  });
}

function denied(status: number, refusal: HubRefusal): AppError {
  const { host } = refusal.endpoint;
  const token = tokenName(refusal);
  const hint = refusal.hasToken
    ? {
        en: `The token does not give access. Check the spelling of the repo, whether ${token} is still valid, and whether you must accept a licence at ${pageOf(refusal)}.`,
        zh: `已发送的令牌没有权限。请检查名称、${token} 是否仍有效，以及是否需要在 ${pageOf(refusal)} 同意许可协议。`,
      }
    : {
        en: `Check the spelling of the repo: the hub also refuses repos that do not exist. If the model is private or requires a licence (${pageOf(refusal)}), set ${token}, then restart Hob.`,
        zh: `请检查名称：不存在的模型也会这样被拒绝。如果是私有模型或需同意许可协议（${pageOf(refusal)}），请设置 ${token} 并重启 Hob。`,
      };
  return new AppError('hub-denied', {
    en: `${host} denied access to ${formatRepoId(refusal.repo)} (${status}).`,
    zh: `${host} 拒绝提供 ${formatRepoId(refusal.repo)}（${status}）。`,
    hint,
  });
}

function notFound(refusal: HubRefusal): AppError {
  const at = refusal.revision === null ? '' : ` at ${refusal.revision}`;
  const token = tokenName(refusal);
  return new AppError('hub-not-found', {
    en: `${refusal.endpoint.host} has no ${formatRepoId(refusal.repo)}${at}.`,
    zh: `${refusal.endpoint.host} 上没有 ${formatRepoId(refusal.repo)}${refusal.revision === null ? '' : `（版本 ${refusal.revision}）`}。`,
    hint: {
      en: `Check the spelling of the repo${refusal.revision === null ? '' : ' and of the revision'} at ${pageOf(refusal)}. A private repo requires a token (${token}).`,
      zh: `请在 ${pageOf(refusal)} 核对名称${refusal.revision === null ? '' : '和版本'}；私有模型需要令牌（${token}）。`,
    },
  });
}
