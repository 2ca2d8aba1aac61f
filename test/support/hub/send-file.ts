import type { IncomingMessage, ServerResponse } from 'node:http';

import type { StoredFile } from './stored-file.ts';

/** Ways in which a server can fail to send a file. */
export type Fault =
  /** Closes the connection after this many bytes. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Sends this many bytes and then nothing, until the test ends or the client disconnects. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** Never answers. */
  | { readonly kind: 'silent' }
  /** Declares a wrong size, and sends that many bytes. */
  | { readonly kind: 'sized'; readonly sizeBytes: number }
  /** The same, without declaring a size. */
  | { readonly kind: 'unsaid'; readonly sizeBytes: number }
  /** Changes one bit. */
  | { readonly kind: 'tampered' }
  | { readonly kind: 'ignores-range'; readonly afterBytes?: number }
  | { readonly kind: 'etag'; readonly etag: string; readonly afterBytes?: number }
  | { readonly kind: 'wrong-range' }
  | { readonly kind: 'gzip' }
  | { readonly kind: 'slow'; readonly bytes: number; readonly everyMs: number }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string> }
  | { readonly kind: 'redirect'; readonly location: string };

/** One answer to a request for a file, as it was sent. */
export interface Sent {
  readonly path: string;
  readonly range: string | null;
  readonly status: number;
  bytes: number;
}

interface SendOptions {
  readonly file: StoredFile;
  readonly fault: Fault | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly note: (sent: Sent) => void;
}

/** Sends a file or the requested range of it, correctly or with a fault. */
export function sendFile({ file, fault, request, response, note }: SendOptions): void {
  const range = request.headers.range ?? null;
  const etag = fault?.kind === 'etag' ? fault.etag : `"${file.sha256}"`;
  const ifRange = request.headers['if-range'];
  const isPart =
    range !== null && fault?.kind !== 'ignores-range' && (ifRange === undefined || ifRange === etag);
  const offset = isPart ? Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0) : 0;
  let bytes = file.bytes.subarray(offset);
  if (fault?.kind === 'sized' || fault?.kind === 'unsaid')
    bytes = Buffer.concat([file.bytes, Buffer.alloc(1_000_000)]).subarray(offset, fault.sizeBytes);
  if (fault?.kind === 'tampered') {
    bytes = Buffer.from(bytes);
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  }
  const status = fault?.kind === 'status' ? fault.status : isPart ? 206 : 200;
  const sent: Sent = { path: file.path, range, status, bytes: 0 };
  note(sent);
  if (fault?.kind === 'silent') return;
  if (fault?.kind === 'status' || fault?.kind === 'redirect') {
    const headers = fault.kind === 'status' ? fault.headers : { location: fault.location };
    response.writeHead(fault.kind === 'status' ? fault.status : 302, headers).end();
    return;
  }
  const from = fault?.kind === 'wrong-range' ? offset + 1 : offset;
  response.writeHead(status, {
    etag,
    'accept-ranges': 'bytes',
    ...(fault?.kind !== 'unsaid' && { 'content-length': bytes.length }),
    ...(fault?.kind === 'gzip' && { 'content-encoding': 'gzip' }),
    ...(isPart && { 'content-range': `bytes ${from}-${file.bytes.length - 1}/${file.bytes.length}` }),
  });
  send(bytes, fault, response, sent);
}

function send(bytes: Buffer, fault: Fault | undefined, response: ServerResponse, sent: Sent): void {
  const write = (some: Buffer, done?: () => void) => {
    sent.bytes += some.length;
    response.write(some, done);
  };
  if (fault?.kind === 'slow') {
    let at = 0;
    const timer = setInterval(() => {
      write(bytes.subarray(at, at + fault.bytes));
      at += fault.bytes;
      if (at < bytes.length) return;
      clearInterval(timer);
      response.end();
    }, fault.everyMs);
    response.once('close', () => clearInterval(timer));
    return;
  }
  const limit = fault !== undefined && 'afterBytes' in fault ? fault.afterBytes : undefined;
  if (limit === undefined || limit >= bytes.length) {
    write(bytes);
    response.end();
    return;
  }
  // Waits until the bytes have been sent before it closes the connection.
  write(bytes.subarray(0, limit), () => {
    if (fault?.kind !== 'stall') setTimeout(() => response.destroy(), 200);
  });
}
