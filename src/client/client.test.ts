import { describe, expect, it } from 'vitest';

import { Client } from './client.ts';

interface Sent {
  readonly path: string;
  readonly key: string | null;
}

/** A client whose requests get these answers, one after the other, and the requests that it sent. */
function answered(...answers: ((signal: AbortSignal | null | undefined) => Promise<Response>)[]) {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push({
      path: new URL(String(input)).pathname,
      key: new Headers(init?.headers).get('idempotency-key'),
    });
    const [next] = answers.length > 1 ? answers.splice(0, 1) : answers;
    if (next === undefined) throw new Error('This request has no answer.');
    return next(init?.signal);
  };
  const locate = async () => ({ url: 'http://hob.test' });
  return { client: new Client({ locate, fetch, patienceMs: 600, isInsideRun: false }), sent };
}

const refused = async (): Promise<Response> => {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  });
};

const unanswered = (signal: AbortSignal | null | undefined) =>
  new Promise<Response>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

const started = async () => Response.json({ run_id: 'r' });
const confirmed = async () => Response.json({});

/** The signal of a caller that stops after a moment. */
function soon(): AbortSignal {
  const aborter = new AbortController();
  setTimeout(() => aborter.abort(new Error('enough')), 50);
  return aborter.signal;
}

describe('a client', () => {
  it.each(['', '.', '..'])('refuses %j as the id of a script and of a run', async (id) => {
    const { client, sent } = answered(confirmed);
    await expect(client.start(id)).rejects.toMatchObject({ code: 'script-unknown' });
    await expect(client.run(id)).rejects.toMatchObject({ code: 'script-unknown' });
    await expect(client.script(id)).rejects.toMatchObject({ code: 'script-unknown' });
    expect(() => client.attach(id)).toThrow(expect.objectContaining({ code: 'run-unknown' }));
    expect(sent).toEqual([]);
  });

  it('stops starting a run when the signal is aborted', async () => {
    const { client, sent } = answered(refused);
    await expect(client.run('a', { signal: soon() })).rejects.toThrow('enough');
    expect(sent).toHaveLength(1);
  });

  it('cancels a run that was accepted without an answer', async () => {
    const { client, sent } = answered(unanswered, started, confirmed);
    await expect(client.run('a', { signal: soon() })).rejects.toThrow('enough');
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/scripts/a/runs',
      '/api/scripts/a/runs',
      '/api/runs/r/cancel',
    ]);
    expect(sent[0]?.key).toEqual(expect.any(String));
    expect(sent[1]?.key).toBe(sent[0]?.key);
  });

  it('rejects with the reason of the signal, even if the run cannot be cancelled', async () => {
    const { client, sent } = answered(started, unanswered, refused);
    await expect(client.run('a', { signal: soon() })).rejects.toThrow('enough');
    expect(sent.at(-1)?.path).toBe('/api/runs/r/cancel');
  });
});
