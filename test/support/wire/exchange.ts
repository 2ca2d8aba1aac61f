import { connect } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  /** By name in lower case. The last one wins if a name occurs more than once. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** How many interim answers, such as 100 Continue, came before it. */
  readonly interim: number;
  /** Whether the body has no end, so that only its beginning was read. */
  readonly isStream: boolean;
}

export interface Heard {
  readonly answers: readonly WireAnswer[];
  /** Bytes after the last answer that are no answer. */
  readonly rest: string;
  readonly isHung: boolean;
}

interface Exchange {
  readonly address: string;
  readonly port: number;
  readonly bytes: Buffer;
  /** The methods of the requests in the bytes, in order. An answer to HEAD has no body. */
  readonly methods: readonly string[];
  /** How many answers to wait for before this side closes its half of the connection. */
  readonly wanted: number;
  /** How long to wait for one more optional answer. */
  readonly patienceMs: number;
}

const hungAfterMs = 30_000;

/** Sends bytes over a new connection, and collects all that comes back until the other side closes it. */
export function exchange(options: Exchange): Promise<Heard> {
  const { address, port, bytes, methods, wanted, patienceMs } = options;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let isHung = false;
    let patience: NodeJS.Timeout | undefined;
    const socket = connect({ host: address, port });
    const hung = setTimeout(() => {
      isHung = true;
      socket.destroy();
    }, hungAfterMs);
    const look = () => {
      const { answers } = readAnswers(Buffer.concat(chunks), methods);
      if (answers.some(({ isStream }) => isStream)) socket.destroy();
      else if (answers.length > wanted || (answers.length === wanted && patienceMs === 0)) socket.end();
      else if (answers.length === wanted) patience ??= setTimeout(() => socket.end(), patienceMs);
    };
    socket.on('connect', () => socket.write(bytes, look));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      look();
    });
    // A reset connection counts as closed. The bytes received before count.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(hung);
      clearTimeout(patience);
      resolve({ ...readAnswers(Buffer.concat(chunks), methods), isHung });
    });
  });
}

/** Parses the received bytes. */
export function readAnswers(
  bytes: Buffer,
  methods: readonly string[],
): { answers: WireAnswer[]; rest: string } {
  const answers: WireAnswer[] = [];
  let text = bytes.toString('latin1');
  let interim = 0;
  for (;;) {
    const end = text.indexOf('\r\n\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);
    if (end === -1 || Number.isNaN(status)) return { answers, rest: text };
    const headers = new Map<string, string>();
    for (const line of text.slice(0, end).split('\r\n').slice(1)) {
      const colon = line.indexOf(':');
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const behind = text.slice(end + 4);
    if (status < 200) {
      interim++;
      text = behind;
      continue;
    }
    // A request that was not understood is answered with a body, even if it was a HEAD.
    const isBare = methods[answers.length] === 'HEAD' && !behind.startsWith('{');
    const isStream = !isBare && headers.get('content-type')?.startsWith('text/event-stream') === true;
    const length = isBare ? 0 : isStream ? behind.length : bodyLength(behind, headers);
    if (length === null) return { answers, rest: text };
    answers.push({ status, headers, body: behind.slice(0, length), interim, isStream });
    text = behind.slice(length);
    interim = 0;
  }
}

/** The length of the body in characters; null if it is not complete. */
function bodyLength(text: string, headers: ReadonlyMap<string, string>): number | null {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = Number(headers.get('content-length') ?? 0);
    return text.length < length ? null : length;
  }
  const end = text.indexOf('0\r\n\r\n');
  return end === -1 ? null : end + 5;
}
