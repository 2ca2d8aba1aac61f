import { AppError, errnoOf } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';

export const maxHeaderBytes = 32 * 1024;
/** Time limit of a whole request, as a multiple of the limit for its header. */
export const wholeRequest = 10;

/** Why received bytes that are not a complete, valid request are refused. */
export function clientRefusal(error: Error, receiveMs: number): AppError {
  switch (errnoOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('request-header-too-large', {
        en: `The request header is larger than ${maxHeaderBytes} bytes (access rule 10).`,
        zh: `请求头超过 ${maxHeaderBytes} 字节（规则 10）。`,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return timeoutRefusal(receiveMs);
    default:
      return malformed(error);
  }
}

export function malformed(cause: unknown): AppError {
  return new AppError(
    'request-malformed',
    {
      en: 'This is not a valid HTTP request, or its method is unknown (access rule 2).',
      zh: '不是有效的 HTTP 请求，或请求方法未知（规则 2）。',
    },
    { cause },
  );
}

export function timeoutRefusal(receiveMs: number): AppError {
  const [pauseS, wholeS] = [receiveMs / 1000, (receiveMs * wholeRequest) / 1000];
  return new AppError('request-timeout', {
    en: `The request took too long to arrive. Limits: ${pauseS} s for the header and for each pause, ${wholeS} s for the whole request (access rule 10, setting receive_s).`,
    zh: `接收请求超时：请求头及每次停顿不得超过 ${pauseS} 秒，整个请求不得超过 ${wholeS} 秒（规则 10，设置 receive_s）。`,
  });
}

export function busyRefusal({ most, reason }: { most: number; reason: Text }): AppError {
  return new AppError(
    'door-busy',
    {
      en: `Too many connections: the limit is ${most} (access rule 10, ${reason.en}). Try again later.`,
      zh: `已有 ${most} 个连接，达到上限（规则 10，${reason.zh}）。`,
    },
    { retryAfterS: 1 },
  );
}
