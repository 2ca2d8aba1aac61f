import { readFile } from 'node:fs/promises';

/** A request of the browser with its response. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  /** Null if there was no response. */
  status: number | null;
  /** The error code in Hob's response header; null if there is none, and for WebSockets, which are logged in less detail. */
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

/** Reads the network log of the browser, which includes requests that pages cannot observe: beacons, pings, reports, preflights. */
export async function readNetLog(path: string): Promise<Exchange[]> {
  const log: { constants: { logEventTypes: Record<string, number> }; events: Entry[] } = JSON.parse(
    await readFile(path, 'utf8'),
  );
  const types = log.constants.logEventTypes;
  const exchanges: Exchange[] = [];
  /** The current exchange by request id. A redirected request has several exchanges. */
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
