import { describe, expect, it } from 'vitest';

import { httpPage } from './http-page.mjs';

const text = { type: 'string' };
const tea = {
  type: 'object',
  required: ['id', 'name', 'grams', 'at'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    name: { ...text, description: 'Shown to | people.' },
    grams: { anyOf: [{ type: 'integer', minimum: 1, maximum: 9 }, { type: 'null' }] },
    at: { type: 'string', format: 'date-time' },
    kind: { enum: ['green', 'black'] },
  },
};

function json(schema, description) {
  return { description, content: { 'application/json': { schema } } };
}

function listOf(schema) {
  return { type: 'object', required: ['items'], properties: { items: { type: 'array', items: schema } } };
}

const error = json({ type: 'object', properties: { status: { enum: ['error'] } } }, 'The error.');
const paths = {
  '/api/teas/{id}': {
    get: {
      tags: ['Teas'],
      summary: 'Get a tea',
      description: 'Get a tea.',
      parameters: [
        { in: 'path', name: 'id', required: true, description: 'The tea.', schema: text },
        { in: 'query', name: 'cups', required: false, schema: { type: 'integer', default: 2 } },
      ],
      responses: { 200: json(tea, 'The tea.'), '4XX': error },
    },
  },
  '/api/teas': {
    get: {
      tags: ['Teas'],
      summary: 'List teas',
      description: 'Lists teas.',
      parameters: [],
      responses: { 200: json(listOf(tea), 'Teas.') },
    },
    post: {
      tags: ['Teas'],
      summary: 'Add a tea',
      description: 'Adds a tea.',
      parameters: [],
      requestBody: {
        content: { 'application/json': { schema: { properties: { name: text }, required: ['name'] } } },
      },
      responses: { 204: { description: 'Done.' } },
    },
  },
  '/api/health': {
    get: {
      tags: ['Service'],
      summary: 'Check',
      description: 'Checks the service.',
      parameters: [],
      responses: { 200: json({ properties: { status: { const: 'ok' } }, required: ['status'] }, 'Alive.') },
    },
  },
};

function render(changed = {}) {
  const document = {
    info: { description: 'Implements interface 0.3.0.' },
    tags: [
      { name: 'Teas', description: 'What to drink.' },
      { name: 'Service', description: 'The service itself.' },
    ],
    paths: { ...paths, ...changed },
  };
  return httpPage(document, [['tea-unknown', 404]], { 'tea.md': '## GET /api/teas/&lt;id&gt;\n' });
}

describe('the HTTP reference', () => {
  it('has a row with its type and its meaning for each field', () => {
    const page = render();
    expect(page).toContain('| `id` | UUID |  |');
    expect(page).toContain('| `name` | text | Shown to \\| people. |');
    expect(page).toContain('| `grams` | integer, 1 to 9 or null |  |');
    expect(page).toContain('| `at` | time |  |');
    expect(page).toContain('| `kind` | `green`, `black`, optional |  |');
  });

  it('shows an object once and then refers to it', () => {
    const page = render();
    expect(page).toContain(
      '| `items` | list of objects | The fields of [`GET /api/teas/{id}`](#get-apiteasid). |',
    );
    expect(page).not.toContain('`items[].grams`');
  });

  it('shows only the changes of an object that is similar to an earlier one', () => {
    const cup = { ...tea, properties: { ...tea.properties, sugar: { type: 'boolean' } } };
    const page = render({
      '/api/teas/cup': {
        get: { tags: ['Teas'], summary: 'Cup', parameters: [], responses: { 200: json(cup, 'A cup.') } },
      },
    });
    expect(page).toContain(
      '**200**: A cup. The fields of [`GET /api/teas/{id}`](#get-apiteasid), with these changes:',
    );
    expect(page).toContain('| `sugar` | boolean, optional |  |');
  });

  it('shows a few fields without a meaning in one line', () => {
    const page = render();
    expect(page).toContain('**200**: Alive. `status`: `ok`.');
    expect(page).toContain('**Body**: `name`: text, required.');
    expect(page).toContain('**204**: Done.');
  });

  it('lists the parameters of a request', () => {
    const page = render();
    expect(page).toContain('| `cups` | query | integer; default 2 |  |');
    expect(page).toContain('| `id` | path | text | The tea. |');
  });

  it('has every request in the table of requests, in a section of its resource', () => {
    const page = render();
    expect(page).toContain('| [`POST /api/teas`](#post-apiteas) | Add a tea |');
    expect(page.indexOf('## Service')).toBeLessThan(page.indexOf('### GET /api/health'));
    expect(page.indexOf('## Teas')).toBeLessThan(page.indexOf('### POST /api/teas'));
  });

  it('links the section of a page that explains the request', () => {
    expect(render()).toContain('Get a tea. [Details](tea.md#get-apiteasid)');
  });

  it('lists the error codes by status', () => {
    expect(render()).toContain('| 404 | `tea-unknown` |');
  });
});
