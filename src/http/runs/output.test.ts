import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { OutputPiece } from '../../runs/output/run-outputs.ts';
import { type OutputPlan, sendOutput } from './output.ts';

const plan: OutputPlan = {
  status: 200,
  contentRange: null,
  contentLength: null,
  from: 0,
  until: Number.POSITIVE_INFINITY,
  withLines: true,
};

/** Sends a request to a server that answers with these pieces. Does not read the response yet. */
async function ask(pieces: AsyncIterable<OutputPiece>, rest: Partial<OutputPlan> = {}) {
  let sent: Promise<void> = Promise.resolve();
  const server = createServer((_request, raw: ServerResponse) => {
    const aborter = new AbortController();
    raw.once('close', () => aborter.abort());
    const { contentLength = null } = rest;
    raw.writeHead(200, contentLength === null ? {} : { 'content-length': contentLength });
    sent = sendOutput(raw, { ...plan, ...rest }, pieces, aborter.signal);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port }: Partial<AddressInfo> = Object(server.address());
  const asked = get({ port, agent: false });
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (response === undefined) throw new Error('no answer');
  asked.on('error', () => {});
  return { response, hangUp: () => asked.destroy(), sent: () => sent };
}

async function textOf(response: IncomingMessage): Promise<{ text: string; isComplete: boolean }> {
  let text = '';
  try {
    for await (const bytes of response) text += bytes;
  } catch {
    // The connection was closed early.
  }
  return { text, isComplete: response.complete };
}

async function* these(...pieces: OutputPiece[]): AsyncGenerator<OutputPiece> {
  yield* pieces;
}

const one = { offset: 0, bytes: Buffer.from('one') };
const gap = { offset: 3, missing: 7 };
const two = { offset: 10, bytes: Buffer.from('two') };

describe('output that is sent', () => {
  it('has a line in place of each gap', async () => {
    const { response } = await ask(these(one, gap, two));
    const text = 'one\n[... 7 bytes left out by Hob ...]\ntwo';
    expect(await textOf(response)).toEqual({ text, isComplete: true });
  });

  it('ends early at a gap if lines are not allowed', async () => {
    const { response } = await ask(these(one, gap, two), { withLines: false });
    expect(await textOf(response)).toEqual({ text: 'one', isComplete: false });
  });

  it('ends early when its length differs from Content-Length', async () => {
    const short = await ask(these(one), { contentLength: 5 });
    expect(await textOf(short.response)).toEqual({ text: 'one', isComplete: false });
    const long = await ask(these(one, two), { contentLength: 5 });
    expect(await textOf(long.response)).toEqual({ text: 'one', isComplete: false });
  });

  it('is read at the speed of the client, and no longer once the client disconnects', async () => {
    let pieces = 0;
    let isClosed = false;
    async function* endless(): AsyncGenerator<OutputPiece> {
      const bytes = Buffer.alloc(256 * 1024);
      try {
        for (; ; pieces++) yield { offset: pieces * bytes.length, bytes };
      } finally {
        isClosed = true;
      }
    }
    const { response, hangUp, sent } = await ask(endless());
    // The sender stops reading when the buffers between both ends are full.
    let before = -1;
    while (before !== pieces) {
      before = pieces;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(pieces).toBeGreaterThan(0);
    expect(pieces).toBeLessThan(256);
    expect(isClosed).toBe(false);
    response.on('error', () => {});
    hangUp();
    while (!isClosed) await new Promise((resolve) => setImmediate(resolve));
    await sent();
  });
});
