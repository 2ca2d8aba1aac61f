import { text } from 'node:stream/consumers';
import { resolveHome } from '../settings/home.ts';
import { homeOfRun } from '../settings/run-variables.ts';
import { credentialsFor, findService, tokenRejected } from './find-service.ts';
import { language, tr } from './language.ts';
import { type HttpAnswer, reasonOf, sendRequest } from './send-request.ts';
import { printable } from './terminal/text.ts';
import { findRun } from './this-run.ts';
import { exitCodes, UserError, userError } from './user-error.ts';

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

export class RefusedError extends UserError {
  readonly code: string | null;

  constructor(message: string, code: string | null) {
    super(message, code !== null && usageErrorCodes.has(code) ? exitCodes.usage : exitCodes.failed);
    this.code = code;
  }
}

export class UnreachableError extends UserError {}

/** HTTP client for the service of a home. Turns refusals into readable errors. */
export class ServiceClient {
  readonly url: string;
  readonly needsToken: boolean;
  readonly #home: string;
  /** The headers that identify the caller. */
  readonly credentials: Readonly<Record<string, string>>;

  private constructor(home: string, url: string, headers: Readonly<Record<string, string>>) {
    this.#home = home;
    this.url = url;
    this.needsToken = headers.authorization !== undefined;
    this.credentials = headers;
  }

  static async find(homeFlag: string | undefined): Promise<ServiceClient> {
    const { home, service } = await findService(homeFlag);
    if (service === null)
      throw userError(
        `Hob is not running (home: ${home}). Start it: hob start (or at every login: hob service install)`,
        `Hob 未运行（数据目录：${home}）。启动它：hob start；登录时自动启动：hob service install`,
      );
    return new ServiceClient(home, service.url, credentialsFor(home, service));
  }

  /** Inside a script: a client that calls in the name of the current run. Elsewhere, or with --home: the service of the home. */
  static async ofRunOrHome(homeFlag: string | undefined): Promise<ServiceClient> {
    const run = homeFlag === undefined ? await findRun(undefined) : null;
    if (run === null) return ServiceClient.find(homeFlag);
    return new ServiceClient(resolveHome(homeOfRun() ?? undefined), run.apiBase, {});
  }

  /** The types of answers come from the schemas: the service and the command are released together. */
  get<Answer extends object>(path: string): Promise<Answer> {
    return this.#ask('GET', path);
  }

  post<Answer extends object>(path: string, body: object = {}, headers = {}): Promise<Answer> {
    return this.#ask('POST', path, body, headers);
  }

  delete<Answer extends object>(path: string): Promise<Answer> {
    return this.#ask('DELETE', path);
  }

  /** Opens a response that is not JSON, or that is streamed. */
  open(path: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<HttpAnswer> {
    return this.#send(path, { headers, signal });
  }

  async #ask<Answer>(method: string, path: string, body?: object, headers = {}): Promise<Answer> {
    const signal = AbortSignal.timeout(answerWithinMs);
    const said = await this.#textOf(await this.#send(path, { method, body, headers, signal }));
    try {
      return JSON.parse(said);
    } catch {
      throw userError(
        `The response from ${this.url} is not JSON, so it does not come from Hob. To find the cause: hob doctor`,
        `${this.url} 的响应不是 JSON，因此不是来自 Hob。查找原因：hob doctor`,
      );
    }
  }

  async #send(path: string, call: Parameters<typeof sendRequest>[1]): Promise<HttpAnswer> {
    // Messages of the service are shown in the language of the command.
    const headers = { 'accept-language': language, ...call.headers, ...this.credentials };
    const answer = await sendRequest(this.url + path, { ...call, headers }).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
    const { statusCode = 0 } = answer;
    if (statusCode === 401) throw tokenRejected(this.#home);
    if (statusCode < 200 || statusCode > 299) throw refusal(answer, await this.#textOf(answer));
    return answer;
  }

  #textOf(answer: HttpAnswer): Promise<string> {
    return text(answer).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
  }

  #unreachable(error: unknown): UnreachableError {
    const reason = reasonOf(error);
    return new UnreachableError(
      tr(
        `No response from Hob at ${this.url} (${reason}). To find the cause: hob doctor`,
        `Hob 在 ${this.url} 没有响应（${reason}）。查找原因：hob doctor`,
      ),
    );
  }
}

/** The error of a refused request. A response that is not from Hob has no message, so its status is shown. */
function refusal({ statusCode, headers }: HttpAnswer, body: string): RefusedError {
  const { message, error, hint } = fieldsIn(body);
  // Errors of /api/notify have the field `error` instead.
  const said =
    message ?? error ?? tr(`Hob responded with status ${statusCode}.`, `Hob 返回了状态码 ${statusCode}。`);
  const advice = hint === undefined || hint === '' ? '' : `\n${hint}`;
  return new RefusedError(printable(said + advice), headers['x-hob-error']?.toString() ?? null);
}

function fieldsIn(body: string): { message?: string; error?: string; hint?: string } {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}

export function errorText(error: { message: string; hint: string } | null): string | null {
  return error && printable([error.message, error.hint].filter((text) => text !== '').join('\n'));
}
