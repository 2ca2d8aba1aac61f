import type { FastifyError, FastifyRequest } from 'fastify';

import { assertNever } from '../shared/assert-never.ts';
import { AppError, type ErrorCode } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Language } from '../shared/text.ts';
import type { AppDependencies } from './dependencies.ts';
import { preferredLanguage } from './request.ts';

/**
 * Maps each error code to an HTTP status. A new code does not compile until it has a status here.
 * @public docs/errors.md is generated from it
 */
export function statusOf(code: ErrorCode): number {
  switch (code) {
    case 'script-id-missing':
    case 'chain-too-deep':
    case 'temp-file-invalid':
    case 'field-invalid':
    case 'data-invalid':
    case 'trigger-invalid':
    case 'params-invalid':
    case 'secrets-needed':
    case 'idempotency-key-invalid':
    case 'body-malformed':
    case 'notify-content-type':
    case 'notify-invalid':
    case 'repo-id-invalid':
    case 'package-source-invalid':
    case 'folder-invalid':
    case 'door-protocol':
    case 'door-host-missing':
    case 'request-malformed':
      return 400;
    case 'door-token':
      return 401;
    case 'script-not-a-node':
    case 'progress-needs-run':
    case 'not-for-runs':
    case 'door-host':
    case 'door-origin':
    case 'door-fetch-site':
    case 'door-method':
    case 'door-user':
    case 'folder-unreadable':
    case 'model-not-removable':
    case 'hub-denied':
      return 403;
    case 'script-unknown':
    case 'icon-unknown':
    case 'folder-unknown':
    case 'temp-file-missing':
    case 'model-not-downloaded':
    case 'download-unknown':
    case 'hub-not-found':
    case 'package-not-installed':
    case 'operation-unknown':
    case 'environment-unknown':
    case 'download-nothing-matches':
    case 'folder-missing':
    case 'path-unknown':
    case 'run-unknown':
    case 'trigger-unknown':
    case 'question-unknown':
    case 'run-token-unknown':
    case 'secret-unknown':
      return 404;
    case 'method-not-allowed':
      return 405;
    case 'request-timeout':
      return 408;
    case 'script-unusable':
    case 'triggers-file-broken':
    case 'trigger-exists':
    case 'run-ended':
    case 'download-ended':
    case 'run-not-ended':
    case 'run-without-terminal':
    case 'idempotency-key-reused':
    case 'caller-stopping':
    case 'model-downloading':
    case 'download-cache-unusable':
    case 'package-installed':
    case 'package-busy':
    case 'package-no-previous':
    case 'operation-ended':
    case 'environment-in-use':
    case 'desktop-unavailable':
    case 'notify-url-missing':
    case 'secrets-unusable':
    case 'secrets-full':
      return 409;
    case 'idempotency-run-gone':
      return 410;
    case 'body-too-large':
      return 413;
    case 'content-type-unsupported':
      return 415;
    case 'range-not-satisfiable':
      return 416;
    case 'package-unreadable':
    case 'package-unsafe':
    case 'package-too-large':
    case 'package-not-a-script':
    case 'package-broken':
    case 'environment-failed':
      return 422;
    case 'request-header-too-large':
      return 431;
    case 'internal':
      return 500;
    case 'hub-unreachable':
    case 'hub-answer-invalid':
    case 'download-corrupt':
    case 'package-fetch-failed':
      return 502;
    case 'queue-full':
    case 'downloads-full':
    case 'queue-wait-exceeded':
    case 'wait-circle':
    case 'untraced-links-full':
    case 'resources-exhausted':
    case 'service-stopping':
    case 'executor-unavailable':
    case 'door-busy':
      return 503;
    default:
      return assertNever(code);
  }
}

/** Each operation of interface 0.3.0 has its own error form. All other operations share the form `later`. */
type ErrorForm = 'execution' | 'notify' | 'model' | 'later';

function formOf(path: string): ErrorForm {
  switch (path) {
    case '/api/execute':
    case '/api/link':
      return 'execution';
    case '/api/notify':
      return 'notify';
    case '/api/model/path':
      return 'model';
    default:
      return 'later';
  }
}

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: JsonObject;
}

/** The answer to a refused request, in the error form of its operation. */
export function answerError(
  error: AppError,
  target: string,
  acceptLanguage: string | undefined,
): ErrorAnswer {
  const form = formOf(pathOfTarget(target));
  const language = preferredLanguage(acceptLanguage, form === 'later' ? 'en' : 'zh');
  const status = statusOf(error.code);
  const message = error.text[language];
  return {
    status,
    headers: {
      'x-hob-error': error.code,
      ...(error.retryAfterS !== undefined && { 'retry-after': String(error.retryAfterS) }),
      ...(error.code === 'door-token' && { 'www-authenticate': 'Bearer realm="hob"' }),
      // An open connection keeps a file handle, which may be the exhausted resource.
      ...(error.code === 'resources-exhausted' && { connection: 'close' }),
    },
    body: bodyOf(),
  };

  function bodyOf(): JsonObject {
    // An unknown path or method belongs to no operation.
    if (error.code === 'path-unknown' || error.code === 'method-not-allowed')
      return { status: 'error', message };
    switch (form) {
      case 'execution':
        return { status: 'error', message };
      case 'notify':
        return { error: message };
      case 'model':
        return { code: status, data: {}, message, success: false };
      case 'later':
        return {
          status: 'error',
          code: error.code,
          message,
          hint: error.hint?.[language] ?? '',
          ...(error.fields.length > 0 && { fields: [...error.fields] }),
          ...(error.files.length > 0 && { files: [...error.files] }),
        };
    }
  }
}

export function internalError(cause: unknown): AppError {
  return new AppError(
    'internal',
    { en: 'Internal error in Hob. See its log for details.', zh: 'Hob 内部错误，详见日志。' },
    { cause },
  );
}

/** The interface fixes this text. */
export function notifyContentType(): AppError {
  const message = 'Content-Type must be application/json';
  return new AppError('notify-content-type', { en: message, zh: message });
}

/** Why an activity failed, as its answer shows it. */
export function failureAnswer(error: AppError | null, language: Language) {
  if (error === null) return null;
  return { code: error.code, message: error.text[language], hint: error.hint?.[language] ?? '' };
}

/** The path of a request target in the routes' spelling: without the query and without unnecessary percent escapes. */
export function pathOfTarget(target: string): string {
  const path = target.split('?', 1)[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    // An invalid path matches no route, so its spelling does not matter.
    return path;
  }
}

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
