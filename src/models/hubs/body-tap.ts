import { Agent, type ClientRequestArgs, type IncomingMessage } from 'node:http';
import { type RequestOptions, Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';

/** Where bytes are put as they come. */
export interface Sink {
  /** The place for the next bytes. There is always some. */
  room(): Uint8Array;
  /** So many bytes were put there. False when no more may come until there is room again. */
  filled(bytes: number): boolean;
  whenRoom(): Promise<void>;
}

type Connected = Duplex | null | undefined;
type OnConnected = (error: Error | null, stream: Duplex) => void;

const ownBytes = 64 * 1024;
/** Below this a body is not worth a connection, which cannot be used again afterwards. */
const leastTappedBytes = 4 * 1024 * 1024;
const taps = new WeakMap<Duplex, BodyTap>();

/** An agent whose connections can be tapped. */
export class TappedAgent extends Agent {
  override createConnection(options: ClientRequestArgs, onConnected?: OnConnected): Connected {
    return tap((more) => super.createConnection({ ...options, ...more }, onConnected));
  }
}

/** The same for TLS. */
export class TappedSecureAgent extends SecureAgent {
  override createConnection(options: RequestOptions, onConnected?: OnConnected): Connected {
    return tap((more) => super.createConnection({ ...options, ...more }, onConnected));
  }
}

function tap(connect: (more: BodyTap['options']) => Connected): Connected {
  const bodyTap = new BodyTap();
  const socket = connect(bodyTap.options);
  if (socket) {
    bodyTap.socket = socket;
    taps.set(socket, bodyTap);
  }
  return socket;
}

/** There is more of a body than there should be. */
export class TooLongError extends Error {}

/** What is under way of a body. */
interface Pouring {
  readonly body: IncomingMessage;
  readonly sink: Sink;
  /** Bytes that are still to come, at most. */
  left: number;
  readonly onAll: () => void;
}

/**
 * Pours a body into a sink, in the pieces in which it arrives. A long one is taken straight from its connection, past the parser: that one
 * hands out each piece in memory of its own, and getting and returning it takes more time than all else that is done with the piece.
 */
export function pour(body: IncomingMessage, sink: Sink, mostBytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAll = () => {
      resolve();
      // The parser still waits for what it was not given.
      body.destroy();
    };
    const pouring = { body, sink, left: mostBytes, onAll };
    const tooEarly = () => reject(new Error('the body ended too early'));
    body.once('error', reject);
    body.once('close', tooEarly);
    body.once('end', () => {
      taps.get(body.socket)?.release();
      resolve();
    });
    if (body.destroyed) tooEarly();
    body.on('data', (chunk: Buffer) => {
      pouring.left -= chunk.length;
      if (pouring.left < 0) {
        reject(new TooLongError());
        body.destroy();
      } else if (!put(chunk, sink)) {
        body.pause();
        void sink.whenRoom().then(() => body.resume());
      }
    });
    if (isWorthTapping(body)) taps.get(body.socket)?.divert(pouring);
  });
}

/** Whether a body is long, and nothing but its length says where it ends. */
function isWorthTapping({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding === undefined && Number(length) >= leastTappedBytes;
}

function put(bytes: Uint8Array, sink: Sink): boolean {
  let hasRoom = true;
  for (let at = 0; at < bytes.length; ) {
    const room = sink.room();
    const piece = bytes.subarray(at, at + room.length);
    room.set(piece);
    at += piece.length;
    hasRoom = sink.filled(piece.length);
  }
  return hasRoom;
}

/**
 * Stands between a connection and its parser. Node reads into the memory that it is given here, and what it read goes to the parser, until
 * there is a body to be poured. Then the parser gets no more, once nothing is on its way that it was given: first its bytes, then those that
 * go past it, and never back, so that their order stays.
 */
class BodyTap {
  socket: Duplex | null = null;
  readonly #own = Buffer.allocUnsafeSlow(ownBytes);
  #pouring: Pouring | null = null;

  /** For the constructor of a socket. */
  readonly options = {
    onread: {
      buffer: () => this.#room(),
      callback: (count: number, buffer: Uint8Array) => this.#read(buffer.subarray(0, count)),
    },
  };

  divert(pouring: Pouring): void {
    this.#pouring = pouring;
  }

  /** What comes next is the parser's again. */
  release(): void {
    this.#pouring = null;
  }

  /** Asked for right after each read, for the next one: by then a body may be poured, and what is read is not where it belongs. */
  #room(): Uint8Array {
    if (this.#pouring === null || this.#hasParserSome(this.#pouring)) return this.#own;
    const { sink, left } = this.#pouring;
    return left === 0 ? this.#own : sink.room().subarray(0, left);
  }

  /** False when no more is to be read for now. */
  #read(bytes: Uint8Array): boolean {
    const pouring = this.#pouring;
    if (pouring === null || this.#hasParserSome(pouring))
      return this.socket?.push(Buffer.from(bytes)) ?? false;
    const { sink } = pouring;
    const isOwn = bytes.buffer === this.#own.buffer;
    // What comes behind the body does not belong to it.
    const count = Math.min(bytes.length, pouring.left);
    const hasRoom = isOwn ? put(bytes.subarray(0, count), sink) : sink.filled(count);
    pouring.left -= count;
    if (pouring.left === 0) pouring.onAll();
    else if (!hasRoom) void sink.whenRoom().then(() => this.socket?.resume());
    return hasRoom && pouring.left > 0;
  }

  /** What the parser was given comes first: as long as any of it is on its way, the next bytes have to follow it. */
  #hasParserSome({ body }: Pouring): boolean {
    return body.readableLength > 0 || (this.socket?.readableLength ?? 0) > 0;
  }
}
