import { describe, expect, it } from 'vitest';

import { appInProcess, openGuarded } from '../../../test/support/app-in-process.ts';
import { tempFolder } from '../../../test/support/hob.ts';
import { queuedRun } from '../../../test/support/run-records.ts';
import { hashToken, newToken } from '../../runs/run.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { ensureToken } from '../../shared/token-file.ts';
import { TokenGuard } from './token-guard.ts';

const own = 1000;
/** All operations below these paths are protected, so a new one is checked here too. */
const protectedPaths = ['/api/agents', '/api/packages', '/api/secrets', '/api/triggers'];
/** Routes that change nothing and show no more than the list of scripts. */
const openOperations = ['GET /api/packages'];

async function serviceCalledBy(user: number | null, ownUser: number | null = own) {
  const { app, store } = await appInProcess({ callerUsers: { own: ownUser, find: async () => user } });
  return { store, ...(await openGuarded(app)) };
}

/** The protected operations in the OpenAPI document, with values for the parameters in their paths. */
async function protectedOperations(url: string): Promise<{ method: string; path: string }[]> {
  const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as { paths: object };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  return operations
    .filter(({ path }) => protectedPaths.some((one) => path === one || path.startsWith(`${one}/`)))
    .filter(({ method, path }) => !openOperations.includes(`${method} ${path}`))
    .map(({ method, path }) => ({ method, path: path.replaceAll(/\{\w+\}/g, 'x') }));
}

/** Calls all protected operations at this address. Returns their answers. */
async function answers(url: string, address = url) {
  const seen: { operation: string; status: number; code: unknown; hint: unknown }[] = [];
  for (const { method, path } of await protectedOperations(url)) {
    const answer = await fetch(address + path, { method });
    const { code, hint } = (await answer.json()) as Record<string, unknown>;
    seen.push({ operation: `${method} ${path}`, status: answer.status, code, hint });
  }
  return seen;
}

describe('operations that hand out more than a run', () => {
  it('include those that fire triggers, store secrets or install packages', async () => {
    const { url } = await serviceCalledBy(own);
    const names = (await protectedOperations(url)).map(({ method, path }) => `${method} ${path}`);
    for (const known of [
      'PUT /api/agents/scripts/x',
      'POST /api/agents/questions/x',
      'POST /api/triggers/x/fire',
      'PUT /api/triggers/x',
      'GET /api/triggers/x/slots',
      'PUT /api/secrets/x',
      'POST /api/packages/install',
      'DELETE /api/packages/x',
    ])
      expect(names).toContain(known);
  });

  it.each([
    ['another user', 1001],
    ['a user that Hob cannot identify', null],
  ])('refuse %s', async (_who, user) => {
    const { url } = await serviceCalledBy(user);
    for (const answer of await answers(url))
      expect(answer).toMatchObject({
        operation: answer.operation,
        status: 403,
        code: 'door-user',
        hint: expect.stringContaining('token = true'),
      });
    expect((await fetch(`${url}/api/scripts`)).status).toBe(200);
  });

  it('refuse a run token', async () => {
    const { url, store } = await serviceCalledBy(own);
    const token = newToken();
    store.insert(queuedRun(), hashToken(token));
    for (const answer of await answers(url, `${url}/r/${token}`))
      expect(answer).toMatchObject({ operation: answer.operation, status: 403, code: 'not-for-runs' });
    expect((await fetch(`${url}/r/${token}/api/scripts`)).status).toBe(200);
  });

  it.each([
    ['the user of the service', own, own],
    ['root', 0, own],
    ['all users where the system does not report them', null, null],
  ])('accept %s', async (_who, user, ownUser) => {
    const { url } = await serviceCalledBy(user, ownUser);
    for (const { operation, status } of await answers(url))
      expect([operation, status]).not.toEqual([operation, 403]);
  });

  it('accept another user who has the token, if Hob requires one', async () => {
    const home = await tempFolder();
    const token = await ensureToken(home);
    const log = await createLogger('silent');
    const guard = new TokenGuard({ home, isLiveRun: () => false, clock: systemClock, log });
    const { app } = await appInProcess({ guard, callerUsers: { own, find: async () => 1001 } });
    const { url } = await openGuarded(app, guard);
    expect((await fetch(`${url}/api/secrets`)).status).toBe(401);
    const known = await fetch(`${url}/api/secrets`, { headers: { authorization: `Bearer ${token}` } });
    expect(known.status).toBe(200);
  });
});
