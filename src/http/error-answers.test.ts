import { describe, expect, it } from 'vitest';

import { AppError, type ErrorCode, errorCodes } from '../shared/errors.ts';
import { answerError, internalError, statusOf } from './error-answers.ts';

/** The expected status of each error code. */
const statuses: Record<ErrorCode, number> = {
  'script-id-missing': 400,
  'script-unknown': 404,
  'icon-unknown': 404,
  'folder-unknown': 404,
  'folder-unreadable': 403,
  'folder-invalid': 400,
  'script-unusable': 409,
  'triggers-file-broken': 409,
  'range-not-satisfiable': 416,
  'run-ended': 409,
  'run-without-terminal': 409,
  'download-ended': 409,
  'download-unknown': 404,
  'downloads-full': 503,
  'package-source-invalid': 400,
  'package-unreadable': 422,
  'package-unsafe': 422,
  'package-too-large': 422,
  'package-not-a-script': 422,
  'package-broken': 422,
  'package-fetch-failed': 502,
  'package-installed': 409,
  'package-not-installed': 404,
  'package-busy': 409,
  'package-no-previous': 409,
  'operation-unknown': 404,
  'operation-ended': 409,
  'environment-failed': 422,
  'environment-unknown': 404,
  'environment-in-use': 409,
  'run-not-ended': 409,
  'secrets-needed': 400,
  'idempotency-key-invalid': 400,
  'idempotency-key-reused': 409,
  'idempotency-run-gone': 410,
  'caller-stopping': 409,
  'script-not-a-node': 403,
  'progress-needs-run': 403,
  'not-for-runs': 403,
  'chain-too-deep': 400,
  'temp-file-missing': 404,
  'temp-file-invalid': 400,
  'field-invalid': 400,
  'data-invalid': 400,
  'trigger-invalid': 400,
  'params-invalid': 400,
  'body-malformed': 400,
  'body-too-large': 413,
  'content-type-unsupported': 415,
  'queue-full': 503,
  'queue-wait-exceeded': 503,
  'wait-circle': 503,
  'untraced-links-full': 503,
  'resources-exhausted': 503,
  'service-stopping': 503,
  'executor-unavailable': 503,
  'notify-content-type': 400,
  'notify-invalid': 400,
  'repo-id-invalid': 400,
  'model-not-downloaded': 404,
  'model-not-removable': 403,
  'model-downloading': 409,
  'hub-not-found': 404,
  'hub-denied': 403,
  'hub-unreachable': 502,
  'hub-answer-invalid': 502,
  'download-nothing-matches': 404,
  'download-corrupt': 502,
  'download-cache-unusable': 409,
  'folder-missing': 404,
  'desktop-unavailable': 409,
  'notify-url-missing': 409,
  'path-unknown': 404,
  'method-not-allowed': 405,
  'run-unknown': 404,
  'trigger-unknown': 404,
  'question-unknown': 404,
  'trigger-exists': 409,
  'run-token-unknown': 404,
  'door-protocol': 400,
  'door-method': 403,
  'door-user': 403,
  'secret-unknown': 404,
  'secrets-unusable': 409,
  'secrets-full': 409,
  'door-host-missing': 400,
  'door-host': 403,
  'door-origin': 403,
  'door-fetch-site': 403,
  'door-token': 401,
  'door-busy': 503,
  'request-malformed': 400,
  'request-header-too-large': 431,
  'request-timeout': 408,
  internal: 500,
};

const codes = Object.keys(statuses).filter((code): code is ErrorCode => Object.hasOwn(errorCodes, code));
const belongToNoOperation = new Set<ErrorCode>(['path-unknown', 'method-not-allowed']);

function refusal(code: ErrorCode): AppError {
  return new AppError(
    code,
    { en: `english ${code}`, zh: `中文 ${code}` },
    { hint: { en: 'do this', zh: '这样做' } },
  );
}

/** The expected headers. A request refused for lack of resources must not keep its connection. */
function headersOf(code: ErrorCode): Record<string, string> {
  return {
    'x-hob-error': code,
    ...(code === 'resources-exhausted' && { connection: 'close' }),
    ...(code === 'door-token' && { 'www-authenticate': 'Bearer realm="hob"' }),
  };
}

describe('the status of an error', () => {
  it('is tested for every code of the catalogue', () => {
    expect(codes.toSorted()).toEqual(Object.keys(errorCodes).toSorted());
  });

  it.each(codes)('is correct for %s', (code) => {
    expect(statusOf(code)).toBe(statuses[code]);
  });
});

describe('the answer to a refused request', () => {
  it.each(codes)('has exactly status and message for execute and link: %s', (code) => {
    for (const path of [
      '/api/execute',
      '/api/link',
      '/api/execute?x=1',
      '/api/link?script_id=/api/notify',
      '/%61pi/%65xecute',
    ]) {
      expect(answerError(refusal(code), path, undefined)).toEqual({
        status: statuses[code],
        headers: headersOf(code),
        body: { status: 'error', message: `中文 ${code}` },
      });
    }
  });

  it.each(codes.filter((code) => !belongToNoOperation.has(code)))(
    'has exactly one field for notify: %s',
    (code) => {
      expect(answerError(refusal(code), '/api/notify', undefined)).toEqual({
        status: statuses[code],
        headers: headersOf(code),
        body: { error: `中文 ${code}` },
      });
    },
  );

  it.each(codes.filter((code) => !belongToNoOperation.has(code)))(
    'repeats the status and has empty data for model/path: %s',
    (code) => {
      expect(answerError(refusal(code), '/api/model/path?repo_id=x', undefined)).toEqual({
        status: statuses[code],
        headers: headersOf(code),
        body: { code: statuses[code], data: {}, message: `中文 ${code}`, success: false },
      });
    },
  );

  it.each(codes.filter((code) => !belongToNoOperation.has(code)))(
    'has a code and a hint for all other paths: %s',
    (code) => {
      for (const path of ['/api/runs/1', '/api/health', '/', '', '/%zz', '/api/execute/', '/API/execute']) {
        expect(answerError(refusal(code), path, undefined)).toEqual({
          status: statuses[code],
          headers: headersOf(code),
          body: { status: 'error', code, message: `english ${code}`, hint: 'do this' },
        });
      }
    },
  );

  it.each(['/api/execute', '/api/notify', '/api/model/path', '/api/runs/1', '/nothing'])(
    'has only status and message for an unknown path or method, even at %s',
    (path) => {
      for (const code of belongToNoOperation) {
        const { status, body } = answerError(refusal(code), path, 'en');
        expect(status).toBe(statuses[code]);
        expect(body).toEqual({ status: 'error', message: `english ${code}` });
      }
    },
  );

  it('is in the language that the caller prefers', () => {
    const error = refusal('script-unusable');
    expect(answerError(error, '/api/execute', 'en-GB').body).toMatchObject({
      message: 'english script-unusable',
    });
    expect(answerError(error, '/api/execute', 'fr').body).toMatchObject({ message: '中文 script-unusable' });
    expect(answerError(error, '/api/runs/1', 'zh-CN').body).toMatchObject({
      message: '中文 script-unusable',
      hint: '这样做',
    });
  });

  it('has an empty hint when the error has none', () => {
    const error = new AppError('run-unknown', { en: 'none', zh: '无' });
    expect(answerError(error, '/api/runs/1', 'en').body).toEqual({
      status: 'error',
      code: 'run-unknown',
      message: 'none',
      hint: '',
    });
  });

  it('lists fields and files only in the later form', () => {
    const text = { en: 'wrong', zh: '错' };
    const error = new AppError('secrets-needed', text, { fields: ['params.key'], files: ['/a/script.toml'] });
    expect(answerError(error, '/api/runs/1/rerun', 'en').body).toMatchObject({
      fields: ['params.key'],
      files: ['/a/script.toml'],
    });
    for (const path of ['/api/execute', '/api/link'])
      expect(answerError(error, path, 'en').body).toEqual({ status: 'error', message: 'wrong' });
  });

  it('has Retry-After when the error sets it', () => {
    const error = new AppError('queue-full', { en: 'full', zh: '满' }, { retryAfterS: 5 });
    expect(answerError(error, '/api/execute', undefined)).toEqual({
      status: 503,
      headers: { 'x-hob-error': 'queue-full', 'retry-after': '5' },
      body: { status: 'error', message: '满' },
    });
    const now = new AppError('queue-full', { en: 'full', zh: '满' }, { retryAfterS: 0 });
    expect(answerError(now, '/api/execute', undefined).headers).toMatchObject({ 'retry-after': '0' });
  });

  it('does not reveal the cause of an internal error', () => {
    const error = internalError(new Error('secret path /home/x'));
    const { status, body } = answerError(error, '/api/execute', 'en');
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(error.cause).toBeInstanceOf(Error);
  });
});
