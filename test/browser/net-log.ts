import { readFile } from 'node:fs/promises';

/** An answer to a request of the browser, whatever in it has caused the request. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  /** Null: there was no answer. */
  status: number | null;
  /** The error code that Hob puts into the header. Null where there is none, and for WebSockets, of which less is logged. */
  rule: string | null;
}

interface Entry {
  readonly type: number;
  readonly source: { readonly id: number };
  readonly params?: {
    readonly url?: string;
    readonly method?: string;
    readonly headers?: readonly string[];
    readonly message?: string;
  };
}

/** The browser's own log of all it sends, which has what no page is told of: beacons, pings, reports, preflights. */
export async function readNetLog(path: string): Promise<Exchange[]> {
  const log: { constants: { logEventTypes: Record<string, number> }; events: Entry[] } = JSON.parse(
    await readFile(path, 'utf8'),
  );
  const types = log.constants.logEventTypes;
  const exchanges: Exchange[] = [];
  /** By request, which is more than one exchange when it was redirected. */
  const current = new Map<number, Exchange>();
  for (const { type, source, params = {} } of log.events) {
    const { url, method = '', headers, message } = params;
    if (type === types.URL_REQUEST_START_JOB && url !== undefined) {
      const begun: Exchange = { url: new URL(url), method, status: null, rule: null };
      exchanges.push(begun);
      current.set(source.id, begun);
    }
    const exchange = current.get(source.id);
    if (exchange === undefined) continue;
    if (type === types.HTTP_TRANSACTION_READ_RESPONSE_HEADERS && headers !== undefined)
      Object.assign(exchange, parseHead(headers));
    const refused = type === types.WEBSOCKET_UPGRADE_FAILURE && /response code: (\d+)/.exec(message ?? '');
    if (refused) exchange.status = Number(refused[1]);
  }
  return exchanges;
}

function parseHead([first = '', ...lines]: readonly string[]): Pick<Exchange, 'status' | 'rule'> {
  const rule = lines
    .map((line) => /^x-hob-error: *(\S+)$/i.exec(line)?.[1])
    .find((each) => each !== undefined);
  return { status: Number(first.split(' ')[1]), rule: rule ?? null };
}
