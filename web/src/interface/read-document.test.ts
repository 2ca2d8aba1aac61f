import { describe, expect, it } from 'vitest';

import { findOperations, groupOperations } from './interface-page.tsx';
import {
  addressOf,
  canTry,
  exampleCurl,
  kindText,
  limitsText,
  type Operation,
  objectsIn,
  propertiesOf,
  readDocument,
} from './read-document.ts';

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const operations = readDocument({
  paths: {
    '/api/execute': {
      post: {
        summary: 'Run a script',
        requestBody: json({
          type: 'object',
          required: ['script_id'],
          properties: { script_id: { type: 'string' }, sync: { type: 'boolean' } },
        }),
        responses: { 200: { description: 'Done.', ...json({ type: 'object' }) }, '4XX': {} },
      },
    },
    '/api/runs/{id}': {
      get: {
        summary: 'One run',
        parameters: [
          { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
          { in: 'query', name: 'part', schema: { type: 'string' }, description: 'Which part.' },
          { in: 'cookie', name: 'ignored' },
        ],
      },
      delete: { summary: 'Delete a run' },
    },
    '/api/events': { get: { responses: { 200: { content: { 'text/event-stream': {} } } } } },
    '/api/new-thing': { get: {} },
  },
});
const operation = (id: string): Operation => {
  const found = operations.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
};

describe('the OpenAPI document', () => {
  it('is read as operations whose ids can be used in a URL', () => {
    expect(operations.map(({ id }) => id)).toEqual([
      'post-api-execute',
      'get-api-runs-id',
      'delete-api-runs-id',
      'get-api-events',
      'get-api-new-thing',
    ]);
    expect(operation('get-api-runs-id').parameters.map(({ name }) => name)).toEqual(['id', 'part']);
    expect(operation('post-api-execute').answers.map(({ status }) => status)).toEqual(['200', '4xx']);
  });

  it('yields no operations if it is malformed', () => {
    expect(readDocument(undefined)).toEqual([]);
    expect(readDocument({ paths: { '/x': null } })).toEqual([]);
  });

  it('is grouped, with unknown paths in the group of the service', () => {
    expect(groupOperations(operations).map(({ key, operations: some }) => [key, some.length])).toEqual([
      ['calls', 1],
      ['runs', 3],
      ['service', 1],
    ]);
  });

  it('is searched by path, method, title and parameter, in any language', () => {
    const find = (query: string) => findOperations(operations, query, () => '运行').map(({ id }) => id);
    expect(find('delete runs')).toEqual(['delete-api-runs-id']);
    expect(find('PART')).toEqual(['get-api-runs-id']);
    expect(find('运行')).toHaveLength(operations.length);
  });
});

describe('the example command', () => {
  const base = 'http://127.0.0.1:9527';
  const curl = (id: string, asksForToken = false) => exampleCurl(operation(id), { base, asksForToken });

  it('has the required parameters', () => {
    expect(curl('post-api-execute')).toBe(
      `curl -sS -H 'Content-Type: application/json' -d '{"script_id":"<script_id>"}' '${base}/api/execute'`,
    );
    expect(curl('delete-api-runs-id')).toBe(`curl -sS -X DELETE '${base}/api/runs/<id>'`);
  });

  it('sends the token if one is required, and does not buffer a stream', () => {
    expect(curl('get-api-events', true)).toBe(
      `curl -N -H "Authorization: Bearer $(hob token)" '${base}/api/events'`,
    );
  });
});

describe('an operation that can be tried', () => {
  it('changes nothing and has an end', () => {
    expect(operations.filter(canTry).map(({ id }) => id)).toEqual(['get-api-runs-id', 'get-api-new-thing']);
  });

  it('is called with the entered values', () => {
    const values = { id: 'a/b', part: 'x y' };
    expect(addressOf(operation('get-api-runs-id'), values)).toBe('/api/runs/a%2Fb?part=x+y');
    expect(addressOf(operation('get-api-runs-id'), { id: '1', part: '' })).toBe('/api/runs/1');
  });
});

const say = (en: string) => en;
const object = { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: {} } };

describe('the text for a schema', () => {
  it.each([
    [{ type: 'string', format: 'uuid' }, 'string (uuid)'],
    [{ enum: ['own', 'extra'] }, '"own" | "extra"'],
    [{ type: 'array', items: { type: 'integer' } }, 'array of integer'],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number or null'],
    [{}, 'any'],
  ])('%j is %s', (schema, words) => {
    expect(kindText(schema, say)).toBe(words);
  });

  it('names limits and defaults', () => {
    expect(limitsText({ minimum: 1, maximum: 500, default: 50 }, say)).toBe('1 to 500 · default 50');
    expect(limitsText({ maxLength: 200 }, say)).toBe('at most 200 characters');
    expect(limitsText({ default: '' }, say)).toBe('default ""');
    expect(limitsText({}, say)).toBe('');
  });

  it('finds nested objects in arrays, alternatives and maps', () => {
    const nested = { anyOf: [{ type: 'array', items: object }, { type: 'null' }] };
    expect(objectsIn(nested)).toEqual([object]);
    expect(objectsIn({ type: 'object', additionalProperties: object })).toEqual([object]);
    expect(objectsIn({ type: 'object', additionalProperties: {} })).toEqual([]);
    expect(propertiesOf(object).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });
});
