import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

import type { Hob } from './hob.ts';

interface OutputRequest {
  range?: string;
  follow?: boolean;
  method?: 'GET' | 'HEAD';
  stream?: 'stdout' | 'stderr';
  headers?: Record<string, string>;
}

/** An output response whose headers have arrived. */
export interface OpenOutput {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it arrives. Whether it is complete is known at its end. */
  readonly response: IncomingMessage;
  hangUp(): void;
}

/** Requests the output of a run, without reading the body yet. */
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

/** Reads the body until it ends or is cut off. */
export async function drain(
  { response }: OpenOutput,
  take: (bytes: Buffer) => void,
): Promise<{ isComplete: boolean }> {
  try {
    for await (const bytes of response) take(bytes);
  } catch {
    // The body was cut off.
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

/** An entry whose output contains its own offset in every eight bytes. It pauses at given offsets until a file exists. */
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

/** Checks that bytes belong to such a stream, in order and each once. */
export class NumberedCheck {
  at: number;
  wrong = 0;
  #rest = Buffer.alloc(0);

  constructor(from = 0) {
    this.at = from;
  }

  /** Continues at this offset. The bytes before it are missing. */
  skipTo(offset: number): void {
    this.at = offset;
    this.#rest = Buffer.alloc(0);
  }

  take(bytes: Buffer): void {
    let view = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let offset = this.at - this.#rest.length;
    this.at += bytes.length;
    const skip = (8 - (offset % 8)) % 8;
    // If a number was cut at its start, compare its remaining bytes one by one.
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
