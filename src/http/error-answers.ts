import { assertNever } from '../shared/assert-never.ts';
import { AppError, type ErrorCode } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Language } from '../shared/text.ts';
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
    case 'door-host':
    case 'door-origin':
    case 'door-fetch-site':
    case 'door-method':
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
    case 'run-token-unknown':
      return 404;
    case 'method-not-allowed':
      return 405;
    case 'request-timeout':
      return 408;
    case 'script-unusable':
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
