import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

import type { Hob } from './hob.ts';

interface OutputRequest {
  range?: string;
  follow?: boolean;
  method?: 'GET' | 'HEAD';
  stream?: 'stdout' | 'stderr';
  headers?: Record<string, string>;
}

/** An answer with output that has begun. */
export interface OpenOutput {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Bytes as they come. Whether all came that should have is known when it is through. */
  readonly response: IncomingMessage;
  hangUp(): void;
}

/** Asks for the output of a run. Nothing of the body is read yet. */
export function openOutput(
  { url }: Pick<Hob, 'url'>,
  runId: string,
  { range, follow = false, method = 'GET', stream = 'stdout', headers = {} }: OutputRequest = {},
): Promise<OpenOutput> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/runs/${runId}/${stream}${follow ? '?follow' : ''}`, {
      method,
      headers: { ...headers, ...(range !== undefined && { range }) },
      agent: false,
    });
    asked.once('error', reject);
    asked.once('response', (response) => {
      asked.on('error', () => {});
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, response, hangUp: () => asked.destroy() });
    });
    asked.end();
  });
}

/** Takes what comes until the answer is through, or cut off. */
export async function drain(
  { response }: OpenOutput,
  take: (bytes: Buffer) => void,
): Promise<{ isComplete: boolean }> {
  try {
    for await (const bytes of response) take(bytes);
  } catch {
    // Cut off.
  }
  return { isComplete: response.complete };
}

export interface OutputAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isComplete: boolean;
}

export async function readOutput(
  hob: Pick<Hob, 'url'>,
  runId: string,
  asked: OutputRequest = {},
): Promise<OutputAnswer> {
  const open = await openOutput(hob, runId, asked);
  const parts: Buffer[] = [];
  const { isComplete } = await drain(open, (bytes) => parts.push(bytes));
  return { status: open.status, headers: open.headers, body: Buffer.concat(parts), isComplete };
}

/** An entry that writes a stream of which every eight bytes are their own offset, and waits where a file is not there yet. */
export function numberedOutput({
  bytes,
  waits = [],
}: {
  bytes: number;
  waits?: { at: number; file: string }[];
}): [string, string] {
  return [
    'main.mjs',
    `import { existsSync, writeSync } from 'node:fs';
const waits = ${JSON.stringify(waits)};
const piece = Buffer.alloc(65536);
for (let at = 0; at < ${bytes}; at += piece.length) {
  while (waits.length > 0 && waits[0].at <= at) {
    while (!existsSync(waits[0].file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    waits.shift();
  }
  for (let each = 0; each < piece.length; each += 8) piece.writeDoubleLE(at + each, each);
  const length = Math.min(piece.length, ${bytes} - at);
  for (let done = 0; done < length; ) done += writeSync(1, piece, done, length - done);
}
`,
  ];
}

/** Sees whether bytes are those of such a stream, in order and each once. */
export class NumberedCheck {
  at: number;
  wrong = 0;
  #rest = Buffer.alloc(0);

  constructor(from = 0) {
    this.at = from;
  }

  /** What lies between is missing. */
  skipTo(offset: number): void {
    this.at = offset;
    this.#rest = Buffer.alloc(0);
  }

  take(bytes: Buffer): void {
    let view = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let offset = this.at - this.#rest.length;
    this.at += bytes.length;
    const skip = (8 - (offset % 8)) % 8;
    // Of a number that was cut only the end is here: it is compared byte by byte.
    if (skip > 0 && view.length >= skip) {
      const whole = Buffer.alloc(8);
      whole.writeDoubleLE(offset - (8 - skip));
      if (!whole.subarray(8 - skip).equals(view.subarray(0, skip))) this.wrong++;
      view = view.subarray(skip);
      offset += skip;
    }
    let each = 0;
    for (; each + 8 <= view.length; each += 8) if (view.readDoubleLE(each) !== offset + each) this.wrong++;
    this.#rest = Buffer.from(view.subarray(each));
  }
}
