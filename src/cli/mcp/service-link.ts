import { Connection } from '../../client/connection.ts';
import { HobError, reasonOf } from '../../client/errors.ts';
import { locateService } from '../../client/locate-service.ts';
import { TokenError } from '../../shared/token-file.ts';
import { language, tr } from '../language.ts';
import { type NodeAnswer, nodeFetch } from '../node-fetch.ts';

const path = '/mcp';
/** A restarted service responds within one or two seconds. Messages wait for it, unless it has never responded. */
const patienceMs = 5000;

/** The connection to the service broke after it may have received the message. */
export class LostError extends Error {}

export interface Posting {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Sends requests to the MCP endpoint of the service of a home. */
export class ServiceLink {
  readonly #home: string;
  readonly #connection: Connection<NodeAnswer>;

  constructor(home: string) {
    this.#home = home;
    this.#connection = new Connection({
      locate: () => locateService(home),
      fetch: nodeFetch,
      patienceMs,
      headers: () => ({ 'accept-language': language }),
    });
  }

  /** Resolves when the response begins, with any status. */
  async open(
    method: 'POST' | 'GET' | 'DELETE',
    { headers, signal }: Posting,
    body?: Uint8Array,
  ): Promise<NodeAnswer> {
    const accept = method === 'POST' ? 'application/json, text/event-stream' : 'text/event-stream';
    let isLost = false;
    const onLost = () => {
      isLost = true;
    };
    try {
      return await this.#connection.open(path, {
        method,
        body,
        headers: { accept, ...headers },
        signal,
        refusal: 'return',
        isRepeatable: false,
        onLost,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw isLost ? new LostError('The connection broke.', { cause: error }) : error;
    }
  }

  /** Describes an error, and how the user can fix it. */
  explain(error: unknown): string {
    if (!(error instanceof HobError)) return reasonOf(error);
    if (error.code === 'not-running')
      return tr(
        `Hob is not running (home: ${this.#home}). Start it with: hob start`,
        `Hob 未运行（数据目录：${this.#home}）。启动它：hob start`,
      );
    if (error.cause instanceof TokenError) return error.cause.text[language];
    if (error.code === 'home-unusable') return error.message;
    return tr(
      `No response from Hob (${reasonOf(error)}). To find the cause: hob doctor`,
      `Hob 没有响应（${reasonOf(error)}）。查找原因：hob doctor`,
    );
  }
}
