import { expect, it } from 'vitest';

import { TokenGuard } from '../../src/http/access/token-guard.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createLogger } from '../../src/shared/log.ts';
import { ensureToken } from '../../src/shared/token-file.ts';
import { appInProcess, openGuarded } from '../support/app-in-process.ts';
import { tempFolder } from '../support/hob.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface Route {
  method: (typeof methods)[number];
  path: string;
}

/** Every route, documented or not, from the tree that the framework prints. */
function routesIn(tree: string): Route[] {
  const routes: Route[] = [];
  const branch: string[] = [];
  for (const line of tree.split('\n')) {
    const [, indent, segment = '', listed = ''] = /^([│├└─\s]*)(\S+)(?: \(([A-Z, ]+)\))?/u.exec(line) ?? [];
    if (indent === undefined || segment === '') continue;
    const depth = indent.length / 4;
    branch.length = depth;
    branch[depth] = segment;
    const path = branch.join('').replace(/:\w+/g, 'x').replace(/^\/+/, '/');
    for (const method of methods) if (listed.split(', ').includes(method)) routes.push({ method, path });
  }
  return routes;
}

it('every route is behind access control', async () => {
  const { app } = await appInProcess();
  const { url } = await openGuarded(app);
  const routes = routesIn(app.printRoutes({ commonPrefix: false }));
  expect(routes.length).toBeGreaterThan(25);
  for (const known of ['/api/execute', '/api/runs/x/stdout', '/api/openapi.json', '/metrics'])
    expect(routes.map(({ path }) => path)).toContain(known);
  for (const { method, path } of routes) {
    const { status, headers } = await fetch(url + path, { method, headers: { origin: 'http://evil.test' } });
    expect({ method, path, status, code: headers.get('x-hob-error') }).toEqual({
      method,
      path,
      status: 403,
      code: 'door-origin',
    });
    const around = await app.inject({ method, url: path });
    expect({ method, path, status: around.statusCode }).toEqual({ method, path, status: 500 });
  }
});

it('in token mode, every route except health requires the token', async () => {
  const home = await tempFolder();
  const token = await ensureToken(home);
  const log = await createLogger('silent');
  const guard = new TokenGuard({ home, isLiveRun: () => false, clock: systemClock, log });
  const { app } = await appInProcess({ guard });
  const { url } = await openGuarded(app, guard);
  for (const { method, path } of routesIn(app.printRoutes({ commonPrefix: false }))) {
    const answer = await fetch(url + path, { method });
    const seen = { method, path, status: answer.status, code: answer.headers.get('x-hob-error') };
    if (path === '/api/health') expect(seen).toMatchObject({ status: 200 });
    else expect(seen).toEqual({ method, path, status: 401, code: 'door-token' });
  }
  const known = await fetch(`${url}/api/scripts`, { headers: { authorization: `Bearer ${token}` } });
  expect(known.status).toBe(200);
});
