import type { FastifyError, FastifyRequest } from 'fastify';

import { AppError } from '../shared/errors.ts';
import type { AppDependencies } from './dependencies.ts';
import { internalError, notifyContentType } from './error-answers.ts';

/** Maps fastify's own errors to an AppError. An unexpected error is a defect and is logged as one. */
export function toAppError(
  error: FastifyError | Error,
  request: FastifyRequest,
  { log, jsonBodyBytes, formBodyBytes }: Pick<AppDependencies, 'log' | 'jsonBodyBytes' | 'formBodyBytes'>,
): AppError {
  const path = pathOf(request);
  if (error instanceof AppError) {
    if (error.code === 'internal' || error.code === 'executor-unavailable')
      log.error({ err: error }, error.message);
    return error;
  }
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return path === '/api/notify' ? notifyContentType() : unsupportedType(path === '/api/execute');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return isForm(request)
        ? tooLarge(formBodyBytes, 'form_body_mib')
        : tooLarge(jsonBodyBytes, 'json_body_mib');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return new AppError('body-malformed', {
        en: 'The length of the body differs from Content-Length.',
        zh: '请求体长度与声明不符。',
      });
    default:
      log.error({ err: error }, 'request failed: internal error');
      return internalError(error);
  }
}

function isForm({ headers }: FastifyRequest): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
}

function tooLarge(mostBytes: number, setting: string): AppError {
  return new AppError('body-too-large', {
    en: `The body is larger than ${mostBytes} bytes (access rule 10, setting ${setting}). Pass large inputs as files.`,
    zh: `请求体超过 ${mostBytes} 字节（规则 10，设置 ${setting}），较大的内容请放入文件。`,
  });
}

function unsupportedType(takesForms: boolean): AppError {
  const types = takesForms ? 'application/json or application/x-www-form-urlencoded' : 'application/json';
  const zhTypes = types.replace(' or ', ' 或 ');
  return new AppError('content-type-unsupported', {
    en: `Content-Type must be ${types} (access rule 7).`,
    zh: `Content-Type 应为 ${zhTypes}（规则 7）。`,
  });
}

export function unknownPath(url: string): AppError {
  const path = (url.split('?', 1)[0] ?? '').slice(0, 200);
  const hint =
    path === '/' ? ' GET /api/scripts lists the scripts, GET /api/openapi.json describes the API.' : '';
  return new AppError('path-unknown', {
    en: `No such path: ${path}${hint && '.'}${hint}`,
    zh: `路径不存在: ${path}`,
  });
}

export function wrongMethod(method: string, allowed: readonly string[]): AppError {
  const methods = allowed.join(', ');
  return new AppError('method-not-allowed', {
    en: `Method ${method} is not allowed here. Allowed: ${methods}`,
    zh: `此路径不支持 ${method}，仅支持 ${methods}`,
  });
}

/** The path of the matched route, else of the request: a caller may write the path with percent escapes. */
export function pathOf(request: FastifyRequest): string {
  return request.routeOptions?.url ?? request.url;
}
