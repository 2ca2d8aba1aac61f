import { describe, expect, it } from 'vitest';

import { appInProcess, openGuarded } from '../../../test/support/app-in-process.ts';
import { tempFolder } from '../../../test/support/hob.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { ensureToken } from '../../shared/token-file.ts';
import { TokenGuard } from './token-guard.ts';

const own = 1000;
const protectedOperations = [
  ['GET', '/api/secrets'],
  ['PUT', '/api/secrets/x'],
  ['DELETE', '/api/secrets/x'],
  ['POST', '/api/packages/install'],
  ['POST', '/api/packages/x/update'],
  ['POST', '/api/packages/x/rollback'],
  ['DELETE', '/api/packages/x'],
] as const;

async function serviceCalledBy(user: number | null, ownUser: number | null = own) {
  const { app } = await appInProcess({ callerUsers: { own: ownUser, find: async () => user } });
  return openGuarded(app);
}

describe('operations that hand out more than a run', () => {
  it.each([
    ['another user', 1001],
    ['a user that Hob cannot identify', null],
  ])('refuse %s', async (_who, user) => {
    const { url } = await serviceCalledBy(user);
    for (const [method, path] of protectedOperations) {
      const answer = await fetch(url + path, { method });
      expect([method, path, answer.status, await answer.json()]).toEqual([
        method,
        path,
        403,
        expect.objectContaining({ code: 'door-user', hint: expect.stringContaining('token = true') }),
      ]);
    }
    expect((await fetch(`${url}/api/scripts`)).status).toBe(200);
  });

  it.each([
    ['the user of the service', own, own],
    ['root', 0, own],
    ['all users where the system does not report them', null, null],
  ])('accept %s', async (_who, user, ownUser) => {
    const { url } = await serviceCalledBy(user, ownUser);
    for (const [method, path] of protectedOperations)
      expect([method, path, (await fetch(url + path, { method })).status]).not.toEqual([method, path, 403]);
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
