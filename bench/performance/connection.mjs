import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/**
 * A keep-alive connection that sends the same request repeatedly. It uses little processor time, because the measured services run on
 * the same machine.
 */
export class Connection {
  #request;
  #expected;
  #socket;
  #waiting;
  #answer = new AnswerReader();

  /** `target`: host, port, the bytes of the request, and a text that every valid response contains. */
  constructor({ host, port, request, expected }) {
    this.#request = Buffer.from(request);
    this.#expected = expected;
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.#waiting?.reject(error));
    this.#socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')));
  }

  opened() {
    return new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve);
      this.#socket.once('error', reject);
    });
  }

  /** Resolves with the milliseconds until the last byte of the response. */
  call() {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, began: performance.now() };
      this.#socket.write(this.#request);
    });
  }

  close() {
    this.#socket.destroy();
  }

  #receive(chunk) {
    if (!this.#answer.add(chunk)) return;
    const { resolve, reject, began } = this.#waiting;
    const ms = performance.now() - began;
    const { status, body } = this.#answer.take();
    this.#waiting = undefined;
    if (status === 200 && body.includes(this.#expected)) resolve(ms);
    else reject(new Error(`unexpected response: ${status} ${String(body.subarray(0, 500))}`));
  }
}

/** Assembles a response, which has a content length or ends with an empty chunk. */
export class AnswerReader {
  #parts = [];
  #length = 0;
  #head;

  /** Whether the response is complete with these bytes. */
  add(bytes) {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    this.#head ??= this.#readHead();
    if (this.#head === undefined) return false;
    const { bodyAt, length } = this.#head;
    if (length !== null) return this.#length >= bodyAt + length;
    return endsInLastChunk(this.#parts);
  }

  take() {
    const { status, bodyAt } = this.#head;
    const body = Buffer.concat(this.#parts).subarray(bodyAt);
    this.#parts = [];
    this.#length = 0;
    this.#head = undefined;
    return { status, body };
  }

  #readHead() {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)];
    const [start] = this.#parts;
    const end = start.indexOf(headEnd);
    if (end < 0) return undefined;
    const text = start.latin1Slice(0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text);
    return {
      status: Number(text.slice(9, 12)),
      bodyAt: end + headEnd.length,
      length: length === null ? null : Number(length[1]),
    };
  }
}

/** The empty chunk. The body of our responses never ends with these bytes. */
function endsInLastChunk(parts) {
  const tails = parts.slice(-lastChunk.length).map((part) => part.subarray(-lastChunk.length));
  return Buffer.concat(tails).subarray(-lastChunk.length).equals(lastChunk);
}
