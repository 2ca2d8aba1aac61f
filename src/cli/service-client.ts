import { request } from 'node:http';
import { text } from 'node:stream/consumers';

import { resolveHome } from '../settings/home.ts';
import { homeOfRun } from '../settings/run-variables.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { credentialsFor, findService, tokenRejected } from './find-service.ts';
import { language, tr } from './language.ts';
import { printable } from './terminal/text-width.ts';
import { findRun } from './this-run.ts';
import { exitCodes, UserError } from './user-error.ts';

/** Listing all models or deleting a large one can take long on a slow disk. */
const answerWithinMs = 120_000;

/** Error codes of the service that point to a wrong argument of the command. */
const usageErrorCodes: ReadonlySet<string> = new Set([
  'field-invalid',
  'repo-id-invalid',
  'package-source-invalid',
  'data-invalid',
  'params-invalid',
]);

/** The service refused the request. */
export class RefusedError extends UserError {
  readonly code: string | null;

  constructor(message: string, code: string | null) {
    super(message, code !== null && usageErrorCodes.has(code) ? exitCodes.usage : exitCodes.failed);
    this.code = code;
  }
}

/** The service does not respond. */
export class UnreachableError extends UserError {}

/** HTTP client for the service of a home. Turns refusals into readable errors. */
export class ServiceClient {
  /** Base address, also shown to the user. */
  readonly url: string;
  /** Whether the service requires the token. */
  readonly needsToken: boolean;
  readonly #home: string;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(home: string, url: string, headers: Readonly<Record<string, string>>) {
    this.#home = home;
    this.url = url;
    this.needsToken = headers.authorization !== undefined;
    this.#headers = headers;
  }

  static async find(homeFlag: string | undefined): Promise<ServiceClient> {
    const { home, service } = await findService(homeFlag);
    if (service === null)
      throw new UserError(
        tr(
          `Hob is not running (home: ${home}). Start it: hob start (or at every login: hob service install)`,
          `Hob 未运行（数据目录：${home}）。启动它：hob start；登录时自动启动：hob service install`,
        ),
      );
    return new ServiceClient(home, service.url, credentialsFor(home, service));
  }

  /** Inside a script: a client that calls in the name of the current run. Elsewhere, or with --home: the service of the home. */
  static async ofRunOrHome(homeFlag: string | undefined): Promise<ServiceClient> {
    const run = homeFlag === undefined ? await findRun(undefined) : null;
    if (run === null) return ServiceClient.find(homeFlag);
    return new ServiceClient(resolveHome(homeOfRun() ?? undefined), run.apiBase, {});
  }

  get(path: string): Promise<JsonObject> {
    return this.#ask('GET', path);
  }

  post(path: string, body: JsonObject = {}, headers: Record<string, string> = {}): Promise<JsonObject> {
    return this.#ask('POST', path, body, headers);
  }

  delete(path: string): Promise<JsonObject> {
    return this.#ask('DELETE', path);
  }

  /** Opens a response that is not JSON, or that is streamed. */
  async open(
    path: string,
    { headers = {}, signal = null }: { headers?: Record<string, string>; signal?: AbortSignal | null } = {},
  ): Promise<Response> {
    const answer = await fetch(this.url + path, {
      headers: { 'accept-language': language, ...headers, ...this.#headers },
      signal,
    }).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
    if (answer.status === 401) throw tokenRejected(this.#home);
    if (!answer.ok)
      throw refusal(parse(await answer.text()), answer.headers.get('x-hob-error'), answer.status);
    return answer;
  }

  /** Yields the output of a stream from its beginning until the run ends or the signal aborts. */
  async *follow(
    runId: string,
    stream: 'stdout' | 'stderr',
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const path = `/api/runs/${encodeURIComponent(runId)}/${stream}?follow=true`;
    const answer = await fetch(this.url + path, { headers: { ...this.#headers }, signal });
    if (!answer.ok || answer.body === null) return;
    yield* answer.body;
  }

  async #ask(
    method: string,
    path: string,
    body?: JsonObject,
    headers: Record<string, string> = {},
  ): Promise<JsonObject> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await callService(this.url + path, {
      method,
      // Messages of the service are shown in the language of the command.
      headers: { 'accept-language': language, ...json, ...headers, ...this.#headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerWithinMs),
    }).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
    const text = await answer.text().catch((error: unknown) => {
      throw this.#unreachable(error);
    });
    if (answer.status === 401) throw tokenRejected(this.#home);
    const said = parse(text);
    if (!answer.ok) throw refusal(said, answer.headers.get('x-hob-error'), answer.status);
    return said;
  }

  #unreachable(error: unknown): UnreachableError {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new UnreachableError(
      tr(
        `No response from Hob at ${this.url} (${reason}). To find the cause: hob doctor`,
        `Hob 在 ${this.url} 没有响应（${reason}）。查找原因：hob doctor`,
      ),
    );
  }
}

function parse(text: string): JsonObject {
  let value: Json = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Not a response of Hob, or incomplete. The caller reports the status instead.
  }
  return isJsonObject(value) ? value : {};
}

function refusal({ message, error, hint }: JsonObject, code: string | null, status: number): RefusedError {
  // Errors of /api/notify have the field `error` instead.
  const text = message ?? error;
  const said =
    typeof text === 'string'
      ? text
      : tr(`Hob responded with status ${status}.`, `Hob 返回了状态码 ${status}。`);
  const advice = typeof hint === 'string' && hint !== '' ? `\n${hint}` : '';
  return new RefusedError(printable(said + advice), code);
}

interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Sends a request and returns a fetch-like response. Loading fetch takes longer than the rest of a short command. */
function callService(url: string, { method, headers, body, signal }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers: { ...headers }, signal }, (answer) => {
      const status = answer.statusCode ?? 0;
      resolve({
        status,
        ok: status >= 200 && status < 300,
        headers: { get: (name) => answer.headers[name]?.toString() ?? null },
        text: () => text(answer),
      });
    });
    // After the response has begun, the body stream reports errors to its reader.
    call.on('error', reject);
    call.end(body);
  });
}
