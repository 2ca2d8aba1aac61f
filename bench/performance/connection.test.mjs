import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';

import { AnswerReader, Connection } from './connection.mjs';
import { targetOf } from './load.mjs';

const feed = (reader, text, size) => {
  const bytes = Buffer.from(text);
  const complete = [];
  for (let at = 0; at < bytes.length; at += size) complete.push(reader.add(bytes.subarray(at, at + size)));
  return complete;
};

describe('a response', () => {
  it.each([1, 3, 1000])('with a content length is complete with its last byte, in pieces of %i', (size) => {
    const reader = new AnswerReader();
    const complete = feed(reader, 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', size);
    expect(complete.indexOf(true)).toBe(complete.length - 1);
    const { status, body } = reader.take();
    expect([status, String(body)]).toEqual([200, 'hello']);
  });

  it.each([1, 4, 1000])('in chunks is complete with the empty chunk, in pieces of %i', (size) => {
    const reader = new AnswerReader();
    const text = 'HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
    const complete = feed(reader, text, size);
    expect(complete.indexOf(true)).toBe(complete.length - 1);
    expect(reader.take().status).toBe(500);
  });
});

describe('a connection', () => {
  it('repeats its request and rejects an unexpected response', async () => {
    const bodies = [];
    const server = createServer((request, answer) => {
      request.on('data', (chunk) => bodies.push(String(chunk)));
      request.on('end', () => answer.end(bodies.length < 3 ? 'as expected' : 'something else'));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(resolve)));
    const url = `http://127.0.0.1:${server.address().port}/path?a=1`;
    const connection = new Connection(targetOf(url, { body: { some: 'ünï' }, expected: 'as expected' }));
    onTestFinished(() => connection.close());
    await connection.opened();
    expect(await connection.call()).toBeGreaterThan(0);
    expect(await connection.call()).toBeGreaterThan(0);
    await expect(connection.call()).rejects.toThrow('unexpected response: 200');
    expect(bodies).toEqual(Array.from({ length: 3 }, () => '{"some":"ünï"}'));
  });
});
