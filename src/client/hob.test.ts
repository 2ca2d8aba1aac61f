import { afterEach, describe, expect, it, vi } from 'vitest';

import { Hob } from './hob.ts';

const fetch: typeof globalThis.fetch = async () => Response.json({ run_id: 'r' });

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the address of a client', () => {
  it.each(['127.0.0.1:9527', 'localhost:9527', 'ftp://localhost', 'http://', ''])('cannot be %j', (url) => {
    expect(() => new Hob({ url })).toThrow(TypeError);
  });

  it('may end in a slash', async () => {
    const seen: unknown[] = [];
    const hob = new Hob({
      url: 'HTTP://hob.test/base/',
      fetch: async (input) => {
        seen.push(input);
        return Response.json({});
      },
    });
    await hob.request('GET', '/api');
    expect(seen).toEqual(['http://hob.test/base/api']);
  });
});

describe('a client inside a script', () => {
  it('starts no run, and names the function to use', async () => {
    vi.stubEnv('HOB_PARAMETER_FILE', '/home/runs/r/params.json');
    const refusal = { name: 'HobError', code: 'inside-run', hint: expect.stringContaining('link(') };
    await expect(new Hob({ fetch }).start('a')).rejects.toMatchObject(refusal);
    await expect(new Hob({ fetch }).run('a')).rejects.toMatchObject(refusal);
  });

  it('starts runs of a service that it names', async () => {
    vi.stubEnv('HOB_PARAMETER_FILE', '/home/runs/r/params.json');
    expect((await new Hob({ url: 'http://hob.test', fetch }).start('a')).id).toBe('r');
  });
});
