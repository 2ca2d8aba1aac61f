import { describe, expect, it } from 'vitest';

import { RouteIndex } from './route-index.ts';

function indexOf(...routes: [method: string | string[], url: string][]): RouteIndex {
  const index = new RouteIndex();
  for (const [method, url] of routes) index.add({ method, url });
  return index;
}

describe('the methods of a path', () => {
  it('are all that were added for it, each once and in order', () => {
    const index = indexOf(['POST', '/api/runs'], [['GET', 'HEAD'], '/api/runs'], ['GET', '/api/runs']);
    expect(index.methodsAt('/api/runs')).toEqual(['GET', 'HEAD', 'POST']);
  });

  it('are none for a path that does not exist', () => {
    const index = indexOf(['POST', '/api/execute']);
    for (const path of [
      '',
      '/',
      '/api',
      '/api/execute/',
      '/api/execute/more',
      '/x/api/execute',
      '/API/execute',
    ])
      expect(index.methodsAt(path)).toEqual([]);
  });

  it('do not depend on the query', () => {
    const index = indexOf(['GET', '/api/model/path']);
    expect(index.methodsAt('/api/model/path?repo_id=a/b')).toEqual(['GET']);
    expect(index.methodsAt('/api/model/path?')).toEqual(['GET']);
    expect(index.methodsAt('/api/model?x=/api/model/path')).toEqual([]);
  });

  it('are found however the path is spelled', () => {
    const index = indexOf(['POST', '/api/execute'], ['GET', '/api/runs/:id']);
    expect(index.methodsAt('/%61pi/%65xecute?x=%65')).toEqual(['POST']);
    expect(index.methodsAt('/api/runs/a%2Fb')).toEqual(['GET']);
    expect(index.methodsAt('/api%2Fexecute')).toEqual([]);
    expect(index.methodsAt('/api/execut%zz')).toEqual([]);
  });

  it('are found for any value of a parameter, but only for one step of the path', () => {
    const index = indexOf(['GET', '/api/runs/:id'], ['POST', '/api/runs/:id/stop']);
    expect(index.methodsAt('/api/runs/2f0c5c5e-8f43')).toEqual(['GET']);
    expect(index.methodsAt('/api/runs/%E4%BD%A0')).toEqual(['GET']);
    expect(index.methodsAt('/api/runs/a/stop')).toEqual(['POST']);
    expect(index.methodsAt('/api/runs/')).toEqual([]);
    expect(index.methodsAt('/api/runs/a/b')).toEqual([]);
  });

  it('of a fixed path and of one with a parameter add up where both fit', () => {
    const index = indexOf(['GET', '/api/runs/:id'], ['DELETE', '/api/runs/all']);
    expect(index.methodsAt('/api/runs/all')).toEqual(['DELETE', 'GET']);
  });

  it('are those of exactly this path, whatever its characters mean elsewhere', () => {
    const index = indexOf(['GET', '/api/openapi.json'], ['GET', '/a+b']);
    expect(index.methodsAt('/api/openapi.json')).toEqual(['GET']);
    expect(index.methodsAt('/api/openapiXjson')).toEqual([]);
    expect(index.methodsAt('/a+b')).toEqual(['GET']);
    expect(index.methodsAt('/aab')).toEqual([]);
  });

  it('of a wildcard hold for everything below it', () => {
    const index = indexOf(['GET', '/console/*']);
    expect(index.methodsAt('/console/')).toEqual(['GET']);
    expect(index.methodsAt('/console/assets/main.js')).toEqual(['GET']);
    expect(index.methodsAt('/consoles/main.js')).toEqual([]);
  });
});
