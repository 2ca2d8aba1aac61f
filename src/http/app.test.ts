import { describe, expect, it } from 'vitest';

import { RouteIndex } from './app.ts';

function indexOf(...routes: [method: string | string[], url: string][]): RouteIndex {
  const index = new RouteIndex();
  for (const [method, url] of routes) index.add({ method, url });
  return index;
}

describe('the methods of a path', () => {
  it('are all methods added for it, sorted and without duplicates', () => {
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

  it('are found when the path has percent escapes', () => {
    const index = indexOf(['POST', '/api/execute'], ['GET', '/api/runs/:id']);
    expect(index.methodsAt('/%61pi/%65xecute?x=%65')).toEqual(['POST']);
    expect(index.methodsAt('/api/runs/a%2Fb')).toEqual(['GET']);
    expect(index.methodsAt('/api%2Fexecute')).toEqual([]);
    expect(index.methodsAt('/api/execut%zz')).toEqual([]);
  });

  it('are found for any value of a parameter, but only within one path segment', () => {
    const index = indexOf(['GET', '/api/runs/:id'], ['POST', '/api/runs/:id/stop']);
    expect(index.methodsAt('/api/runs/2f0c5c5e-8f43')).toEqual(['GET']);
    expect(index.methodsAt('/api/runs/%E4%BD%A0')).toEqual(['GET']);
    expect(index.methodsAt('/api/runs/a/stop')).toEqual(['POST']);
    expect(index.methodsAt('/api/runs/')).toEqual([]);
    expect(index.methodsAt('/api/runs/a/b')).toEqual([]);
  });

  it('are combined when a fixed path and a path with a parameter both match', () => {
    const index = indexOf(['GET', '/api/runs/:id'], ['DELETE', '/api/runs/all']);
    expect(index.methodsAt('/api/runs/all')).toEqual(['DELETE', 'GET']);
  });

  it('are those of the exact path, even if it contains regular expression characters', () => {
    const index = indexOf(['GET', '/api/openapi.json'], ['GET', '/a+b']);
    expect(index.methodsAt('/api/openapi.json')).toEqual(['GET']);
    expect(index.methodsAt('/api/openapiXjson')).toEqual([]);
    expect(index.methodsAt('/a+b')).toEqual(['GET']);
    expect(index.methodsAt('/aab')).toEqual([]);
  });

  it('are found for every path below a wildcard', () => {
    const index = indexOf(['GET', '/console/*']);
    expect(index.methodsAt('/console/')).toEqual(['GET']);
    expect(index.methodsAt('/console/assets/main.js')).toEqual(['GET']);
    expect(index.methodsAt('/consoles/main.js')).toEqual([]);
  });
});
