import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { inspect } from 'node:util';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { stripRunToken, tokenOf } from './access-rules.ts';

function request(url: string): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.url = url;
  return message;
}

function stripped(url: string): { url: string | undefined; token: string | null } {
  const message = request(url);
  stripRunToken(message);
  return { url: message.url, token: tokenOf(message) };
}

describe('stripRunToken', () => {
  it.each([
    ['/r/abc/api/link', '/api/link'],
    ['/r/abc//api/link', '/api/link'],
    ['/r/abc/api/link?x=1', '/api/link?x=1'],
    ['/r/abc/api/model/path?repo_id=a/b//c', '/api/model/path?repo_id=a/b//c'],
    ['/r/abc/', '/'],
    ['/r/abc', '/'],
    ['/r/abc?x=1', '/?x=1'],
    ['/r/abc/r/other/api/link', '/r/other/api/link'],
  ])('rewrites %s to %s and stores the token', (url, path) => {
    expect(stripped(url)).toEqual({ url: path, token: 'abc' });
  });

  it.each([
    '/',
    '/api/link',
    '/api/link?x=/r/abc/api',
    '/r',
    '/r/',
    '/r//api/link',
    '/R/abc/api/link',
    '/x/r/abc/api',
    '/rr/abc',
  ])('leaves %s unchanged and stores no token', (url) => {
    expect(stripped(url)).toEqual({ url, token: null });
  });

  it.each([
    ['/r/api/link', '/api/link'],
    ['/r/api/model/path?repo_id=a/b', '/api/model/path?repo_id=a/b'],
    ['/r/api', '/api'],
  ])('rewrites %s, which lost its token, to %s', (url, path) => {
    expect(stripped(url)).toEqual({ url: path, token: null });
  });

  it('recognizes a token that begins with "api"', () => {
    expect(stripped('/r/apiary/api/link')).toEqual({ url: '/api/link', token: 'apiary' });
  });

  it('hides the token from code that prints the request', () => {
    const message = request('/r/secret-token/api/link');
    stripRunToken(message);
    expect(tokenOf(message)).toBe('secret-token');
    expect(inspect(message, { depth: 5 })).not.toContain('secret-token');
  });

  it('returns the token and the path of any address built from the two', () => {
    const token = fc
      .uint8Array({ minLength: 24, maxLength: 24 })
      .map((bytes) => Buffer.from(bytes).toString('base64url'));
    const step = fc.constantFrom('api', 'r', 'link', '%2F', 'a.b', '..', '你', '', 'x?y=/r/z');
    const rest = fc.array(step, { minLength: 1 }).map((steps) => `/${steps.join('/').replace(/^\/+/, '')}`);
    fc.assert(
      fc.property(token, rest, (name, path) => {
        expect(stripped(`/r/${name}${path}`)).toEqual({ url: path, token: name });
      }),
    );
  });
});
