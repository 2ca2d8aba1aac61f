import Value from 'typebox/value';

import type { ApiAnswer, Call } from './client.ts';
import { type Operation, resolveTarget, type Schema } from './document.ts';

/** Headers of every answer. */
const constantHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The error form of paths and methods that belong to no operation. */
const plainError: Schema & { additionalProperties: boolean } = {
  type: 'object',
  required: ['status', 'message'],
  properties: { status: { enum: ['error'] }, message: { type: 'string' } },
  additionalProperties: false,
};
const plainCodes = ['path-unknown', 'method-not-allowed'];
/** Codes of requests that were refused before their path was known. */
const unreadCodes = ['request-malformed', 'request-header-too-large', 'request-timeout'];

interface Rules {
  readonly operations: readonly Operation[];
  /** The status of each error code. */
  readonly catalogue: ReadonlyMap<string, number>;
}

/** Every difference between an answer and the document. */
export function findFaults(call: Call, answer: ApiAnswer, rules: Rules): string[] {
  const { status, headers } = answer;
  const faults: string[] = [];
  if (status < 200 || status >= 500) faults.push(`the status is ${status}`);
  for (const [name, value] of Object.entries(constantHeaders))
    if (headers[name] !== value) faults.push(`${name} is ${headers[name]}`);
  const cors = Object.keys(headers).find((name) => name.startsWith('access-control-'));
  if (cors !== undefined) faults.push(`there is a header ${cors}`);
  faults.push(...codeFaults(answer, rules.catalogue));
  const { operation } = resolveTarget(rules.operations, call);
  if (operation !== null && status < 400 && isAboutRun(operation) && headers['x-hob-run-id'] === undefined)
    faults.push('it does not say which run it is about');
  if (status === 405 && headers.allow === undefined) faults.push('405 without Allow');

  const contents = contentsFor(call, answer, rules.operations);
  if (contents === null) return [...faults, `the status ${status} is not documented`];
  return [...faults, ...bodyFaults(call, answer, contents)];
}

function isAboutRun({ path }: Operation): boolean {
  return (
    path.startsWith('/api/runs/') ||
    path === '/api/execute' ||
    path === '/api/link' ||
    path === '/api/progress'
  );
}

function codeFaults({ status, headers }: ApiAnswer, catalogue: ReadonlyMap<string, number>): string[] {
  const code = headers['x-hob-error'];
  if (status < 400) return code === undefined ? [] : [`${status} with the error code ${String(code)}`];
  if (typeof code !== 'string') return [`${status} without an error code`];
  const listed = catalogue.get(code);
  return listed === status ? [] : [`${code} came with ${status}, and is listed with ${listed}`];
}

/** The content types that the answer may have, with their schemas; null if the document does not allow this status. */
function contentsFor(
  call: Call,
  { status, headers }: ApiAnswer,
  operations: readonly Operation[],
): Record<string, Schema> | null {
  const code = String(headers['x-hob-error']);
  const { operation, atPath } = resolveTarget(operations, call);
  // An existing path must not be reported as unknown, and an unknown path must not be reported as a wrong method.
  if (code === (atPath.length > 0 ? 'path-unknown' : 'method-not-allowed')) return null;
  if (plainCodes.includes(code)) return operation === null ? { 'application/json': plainError } : null;
  const [anyOther] = operations.filter(({ path }) => path === '/api/health');
  const described = unreadCodes.includes(code) ? anyOther : (operation ?? atPath[0] ?? anyOther);
  // A success without a documented operation would be an undocumented operation.
  if (operation === null && status < 400) return isPage(call, headers) ? { 'text/html': {} } : null;
  const response = described?.responses[status] ?? described?.responses[`${Math.floor(status / 100)}XX`];
  if (response === undefined) return null;
  return Object.fromEntries(
    Object.entries(response.content ?? {}).map(([type, { schema }]) => [type, schema]),
  );
}

/** The console's pages are for people and are not part of the API. */
function isPage({ method, target }: Call, headers: ApiAnswer['headers']): boolean {
  const isHtml = headers['content-type']?.startsWith('text/html') === true;
  return isHtml && (method === 'GET' || method === 'HEAD') && !/^\/(?:api|r)(?:\/|$)/.test(target);
}

function bodyFaults(
  call: Call,
  { headers, body, isCut }: ApiAnswer,
  contents: Readonly<Record<string, Schema>>,
): string[] {
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  if (Object.keys(contents).length === 0)
    return body.length === 0 && type === ''
      ? []
      : [`there is a body of type ${type} where none is documented`];
  const schema = contents[type] ?? contents[type.replace(/\/.*/, '/*')];
  if (schema === undefined) return [`the type is ${type}, not ${Object.keys(contents).join(' or ')}`];
  if (call.method === 'HEAD') return body.length === 0 ? [] : ['an answer to HEAD has a body'];
  if (type === 'text/event-stream') return eventFaults(body.toString(), isCut);
  if (type !== 'application/json') return [];
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    return [`the body is not JSON: ${String(error)}`];
  }
  // `Check` is much faster than `Errors`.
  if (Value.Check(schema, value)) return fieldFaults(value);
  const mistakes = Value.Errors(schema, value).slice(0, 5);
  return [`the body has another form: ${JSON.stringify(mistakes).slice(0, 1000)}`];
}

/** An error about fields names them. The four operations of interface 0.3.0 have no place for the names. */
function fieldFaults(value: unknown): string[] {
  const { code, fields = [] }: { code?: unknown; fields?: unknown[] } = Object(value);
  const isAboutFields = code === 'field-invalid' || code === 'data-invalid' || code === 'params-invalid';
  return isAboutFields && fields.length === 0 ? [`the error ${code} names no field`] : [];
}

/** Checks whole events only. The last event may be cut off. */
function eventFaults(text: string, isCut: boolean): string[] {
  const blocks = text.split('\n\n');
  const rest = blocks.pop();
  const faults = isCut || rest === '' ? [] : ['the stream ended within an event'];
  for (const block of blocks) {
    const odd = block
      .split('\n')
      .find((line) => !/^(?:id: .*|event: [a-z.]+|data: .*|retry: \d+|:.*)$/.test(line));
    if (odd !== undefined) faults.push(`an odd line in a stream of events: ${odd.slice(0, 200)}`);
  }
  return faults;
}
