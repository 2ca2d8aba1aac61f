import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { inspect } from 'node:util';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { stripRunToken, tokenOf } from './run-address.ts';

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

describe('the address of a run', () => {
  it.each([
    ['/r/abc/api/link', '/api/link'],
    ['/r/abc//api/link', '/api/link'],
    ['/r/abc/api/link?x=1', '/api/link?x=1'],
    ['/r/abc/api/model/path?repo_id=a/b//c', '/api/model/path?repo_id=a/b//c'],
    ['/r/abc/', '/'],
    ['/r/abc', '/'],
    ['/r/abc?x=1', '/?x=1'],
    ['/r/abc/r/other/api/link', '/r/other/api/link'],
  ])('%s is %s of the service, asked for by that run', (url, path) => {
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
  ])("%s is nobody's, and stays as it is", (url) => {
    expect(stripped(url)).toEqual({ url, token: null });
  });

  it.each([
    ['/r/api/link', '/api/link'],
    ['/r/api/model/path?repo_id=a/b', '/api/model/path?repo_id=a/b'],
    ['/r/api', '/api'],
  ])('%s, joined in a way that drops the token, is %s without a caller', (url, path) => {
    expect(stripped(url)).toEqual({ url: path, token: null });
  });

  it('takes a token that begins like our paths for a token', () => {
    expect(stripped('/r/apiary/api/link')).toEqual({ url: '/api/link', token: 'apiary' });
  });

  it('leaves no token where a request could be printed', () => {
    const message = request('/r/secret-token/api/link');
    stripRunToken(message);
    expect(tokenOf(message)).toBe('secret-token');
    expect(inspect(message, { depth: 5 })).not.toContain('secret-token');
  });

  it('gives back the token and the rest of every address made of the two', () => {
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
