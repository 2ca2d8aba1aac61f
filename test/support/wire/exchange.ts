import { connect } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  /** By their names in lower case; of several with one name, the last. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** How many answers of the kind of 100 Continue came before it. */
  readonly interim: number;
  /** It has no end, so its beginning has to do. */
  readonly isStream: boolean;
}

export interface Heard {
  readonly answers: readonly WireAnswer[];
  /** What came behind the last answer and is none. */
  readonly rest: string;
  readonly isHung: boolean;
}

interface Exchange {
  readonly address: string;
  readonly port: number;
  readonly bytes: Buffer;
  /** Of the requests in the bytes, one after the other: an answer to HEAD has no body. */
  readonly methods: readonly string[];
  /** So many answers are waited for before this side says that it has no more to send. */
  readonly wanted: number;
  /** How long it waits for one more that may come or not. */
  readonly patienceMs: number;
}

const hungAfterMs = 30_000;

/** Sends bytes over a connection of their own, and hears all that comes back until the other side closes it. */
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
    // A connection that is reset is one that was closed, with whatever came before.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(hung);
      clearTimeout(patience);
      resolve({ ...readAnswers(Buffer.concat(chunks), methods), isHung });
    });
  });
}

/** Takes what was heard apart. */
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
    // What was not understood is answered as if it were no HEAD.
    const isBare = methods[answers.length] === 'HEAD' && !behind.startsWith('{');
    const isStream = !isBare && headers.get('content-type')?.startsWith('text/event-stream') === true;
    const length = isBare ? 0 : isStream ? behind.length : bodyLength(behind, headers);
    if (length === null) return { answers, rest: text };
    answers.push({ status, headers, body: behind.slice(0, length), interim, isStream });
    text = behind.slice(length);
    interim = 0;
  }
}

/** How many of the characters are the body; null when it is not all there. */
function bodyLength(text: string, headers: ReadonlyMap<string, string>): number | null {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = Number(headers.get('content-length') ?? 0);
    return text.length < length ? null : length;
  }
  const end = text.indexOf('0\r\n\r\n');
  return end === -1 ? null : end + 5;
}
