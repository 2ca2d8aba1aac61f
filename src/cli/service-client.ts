import { Client, type RequestOptions, type StreamEvent } from '../client/client.ts';
import type { Address } from '../client/connection.ts';
import { HobError, reasonOf } from '../client/errors.ts';
import { locateService } from '../client/locate-service.ts';
import { TokenError, tokenFileOf } from '../shared/token-file.ts';
import { homeOf, unreadableHome } from './find-service.ts';
import { language, tr } from './language.ts';
import { type NodeAnswer, nodeFetch } from './node-fetch.ts';
import { printable } from './terminal/text.ts';
import { findRun } from './this-run.ts';
import { exitCodes, UserError, userError } from './user-error.ts';

/** Listing all models or deleting a large one can take long on a slow disk. */
const answerWithinMs = 120_000;
/** A restarted service responds within one or two seconds; on a busy machine it takes longer. */
const longestOutageMs = 30_000;
/** A shorter interruption is not reported. */
const reportAfterMs = 1000;

/** Error codes of the service that point to a wrong argument of the command. */
const usageErrorCodes: ReadonlySet<string> = new Set([
  'field-invalid',
  'repo-id-invalid',
  'package-source-invalid',
  'data-invalid',
  'params-invalid',
  'trigger-invalid',
]);

export class RefusedError extends UserError {
  readonly code: string | null;

  constructor(message: string, code: string | null) {
    super(message, code !== null && usageErrorCodes.has(code) ? exitCodes.usage : exitCodes.failed);
    this.code = code;
  }
}

interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  readonly limitMs?: number;
  /** Repeats the request while the service is away, and shows this hint if it stays away. Only for requests that may be sent twice. */
  readonly hint?: string;
}

/** The service of a home. Calls it with the client of Hob, and turns errors into texts for the user. */
export class ServiceClient {
  readonly url: string;
  readonly needsToken: boolean;
  readonly #home: string;
  readonly #client: Client<NodeAnswer>;
  #goneAt: number | null = null;
  #isReported = false;
  #say = (line: string): void => void process.stderr.write(`${line}\n`);

  private constructor(home: string, { url, token }: Address, locate: () => Promise<Address | null>) {
    this.#home = home;
    this.url = url;
    this.needsToken = token !== undefined;
    this.#client = new Client({
      locate,
      fetch: nodeFetch,
      patienceMs: 0,
      // Messages of the service are shown in the language of the command.
      headers: () => ({ 'accept-language': language }),
      onGone: () => this.#reportOutage(),
      onResponse: () => {
        this.#goneAt = null;
        this.#isReported = false;
      },
      isInsideRun: false,
    });
  }

  static async find(homeFlag: string | undefined): Promise<ServiceClient> {
    const home = homeOf(homeFlag);
    const locate = () => locateService(home);
    const address = await locate().catch((error: unknown) => {
      throw unusableHome(home, error);
    });
    if (address === null) throw new UserError(notRunning(home));
    return new ServiceClient(home, address, locate);
  }

  /** Inside a script: a client that calls in the name of the current run. Elsewhere, or with --home: the service of the home. */
  static async ofRunOrHome(homeFlag: string | undefined): Promise<ServiceClient> {
    const run = homeFlag === undefined ? await findRun(undefined) : null;
    if (run === null) return ServiceClient.find(homeFlag);
    const address = { url: run.apiBase };
    return new ServiceClient(homeOf(undefined), address, async () => address);
  }

  /** Sets the function that prints messages, for commands that draw on the screen. */
  printWith(say: (line: string) => void): void {
    this.#say = say;
  }

  /** The types of answers come from the schemas: the service and the command are released together. */
  get<Result extends object>(path: string, asking: Asking = {}): Promise<Result> {
    return this.#ask('GET', path, asking);
  }

  post<Result extends object>(path: string, body: object = {}, asking: Asking = {}): Promise<Result> {
    return this.#ask('POST', path, { ...asking, body });
  }

  put<Result extends object>(path: string, body: object): Promise<Result> {
    return this.#ask('PUT', path, { body });
  }

  /** Creates what does not exist yet. It is not repeated, because the second request would be refused. */
  create<Result extends object>(path: string, body: object): Promise<Result> {
    return this.#ask('PUT', path, { body, headers: { 'if-none-match': '*' }, isRepeatable: false });
  }

  patch<Result extends object>(path: string, body: object): Promise<Result> {
    return this.#ask('PATCH', path, { body });
  }

  delete<Result extends object>(path: string): Promise<Result> {
    return this.#ask('DELETE', path, {});
  }

  /** Opens a response that is not JSON, or that is streamed. */
  async open(path: string, options: RequestOptions & { readonly method?: string } = {}): Promise<NodeAnswer> {
    const { method = 'GET', ...others } = options;
    return this.#client.open(method, path, others).catch((error: unknown) => {
      throw this.#explain(error);
    });
  }

  /**
   * Yields the events of a run, including its output, until it ends. Each byte comes once, even if the service restarts in between.
   * `since` is the position to start from in both streams, such as `1024-0`.
   */
  async *events(runId: string, since = '0-0'): AsyncGenerator<StreamEvent, void, undefined> {
    try {
      yield* this.#client.attach(runId).events({ since, patienceMs: longestOutageMs });
    } catch (error) {
      throw this.#explain(error, followHint(runId));
    }
  }

  async #ask<Result>(
    method: string,
    path: string,
    { hint, ...others }: Asking & Pick<RequestOptions, 'body' | 'isRepeatable'>,
  ): Promise<Result> {
    const patience = hint !== undefined && { patienceMs: longestOutageMs, isRepeatable: true };
    const options: RequestOptions = { limitMs: answerWithinMs, refusal: 'throw', ...others, ...patience };
    try {
      return await this.#client.request<Result>(method, path, options);
    } catch (error) {
      throw this.#explain(error, hint);
    }
  }

  #reportOutage(): void {
    const now = performance.now();
    this.#goneAt ??= now;
    if (now - this.#goneAt <= reportAfterMs || this.#isReported) return;
    this.#isReported = true;
    this.#say(tr('Hob has stopped. Waiting for it to start again ...', 'Hob 已停止，正在等待它恢复……'));
  }

  /** The error for the user. With a hint, the command has waited for the service. */
  #explain(error: unknown, hint?: string): UserError {
    // Any other error is a bug of this command.
    if (!(error instanceof HobError)) throw error;
    const { code, status } = error;
    if (hint !== undefined && (code === 'unreachable' || code === 'not-running'))
      return new UserError(
        `${tr('Hob has stopped and did not start again.', 'Hob 已停止，没有恢复。')} ${hint}`,
      );
    if (code === 'not-running') return new UserError(notRunning(this.#home));
    if (code === 'home-unusable') return unusableHome(this.#home, error);
    if (code === 'not-hob')
      return userError(
        `The response from ${this.url} is not JSON, so it does not come from Hob. To find the cause: hob doctor`,
        `${this.url} 的响应不是 JSON，因此不是来自 Hob。查找原因：hob doctor`,
      );
    if (status === 401) return tokenRejected(this.#home);
    return status === null ? this.noResponse(error) : refusal(error, status);
  }

  /** Waits for the body of a response that was opened. */
  read<Result>(body: Promise<Result>): Promise<Result> {
    return body.catch((error: unknown) => {
      throw this.noResponse(error);
    });
  }

  /** The error for a connection that broke. */
  noResponse(error: unknown): UserError {
    const reason = reasonOf(error);
    return userError(
      `No response from Hob at ${this.url} (${reason}). To find the cause: hob doctor`,
      `Hob 在 ${this.url} 没有响应（${reason}）。查找原因：hob doctor`,
    );
  }
}

/** The hint for a run that this command no longer follows. */
export function followHint(runId: string): string {
  return tr(
    `The script continues. When Hob is running again: hob logs ${runId} -f`,
    `脚本仍在运行；Hob 重新启动后可用：hob logs ${runId} -f`,
  );
}

function tokenRejected(home: string): UserError {
  return userError(
    `Hob rejected the token in ${tokenFileOf(home)}. Create a new one: hob token --renew --home "${home}"`,
    `Hob 需要令牌，但不接受 ${tokenFileOf(home)} 中的令牌。请重新生成：hob token --renew --home "${home}"`,
  );
}

export function errorText(error: { message: string; hint: string } | null): string | null {
  return error && printable([error.message, error.hint].filter((text) => text !== '').join('\n'));
}

function notRunning(home: string): string {
  return tr(
    `Hob is not running (home: ${home}). Start it: hob start (or at every login: hob service install)`,
    `Hob 未运行（数据目录：${home}）。启动它：hob start；登录时自动启动：hob service install`,
  );
}

function unusableHome(home: string, error: unknown): UserError {
  const cause = error instanceof HobError ? error.cause : error;
  return cause instanceof TokenError ? new UserError(cause.text[language]) : unreadableHome(home, cause);
}

/** The error of a refused request. */
function refusal({ message, hint, code }: HobError, status: number): RefusedError {
  const text = code === 'no-message' ? tr(message, `Hob 返回了状态码 ${status}。`) : message;
  return new RefusedError(errorText({ message: text, hint }) ?? '', code);
}
