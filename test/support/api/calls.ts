import { randomUUID } from 'node:crypto';

import type { SeededRandom } from '../random.ts';
import type { Call } from './client.ts';
import type { Operation, Parameter, Schema } from './document.ts';
import { asBytes, escaped, type HostileValues } from './hostile.ts';
import type { Known } from './known.ts';

const otherMethods = [
  'HEAD',
  'OPTIONS',
  'PUT',
  'PATCH',
  'DELETE',
  'POST',
  'GET',
  'TRACE',
  'PROPFIND',
  'M-SEARCH',
];
const otherTypes = [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-8',
  'application/json;charset=gbk',
  'APPLICATION/JSON',
  'application/json;',
  'application/jsonx',
  'application/x-www-form-urlencoded; charset=utf-16',
  'application/x-www-form-urlencoded',
  ';',
  '',
  'a'.repeat(5000),
];
const oddQueries = ['%', '%zz', '&&==&', '?', '[]=1&[]=2', 'a[b]=c', '__proto__=1'];
/** Headers of the interface and of HTTP itself. Any call may carry them. */
const anyHeaders = [
  'idempotency-key',
  'range',
  'if-range',
  'last-event-id',
  'accept-language',
  'x-hob-origin',
  'accept',
  'accept-encoding',
  'content-encoding',
  'if-none-match',
  'cookie',
  'x-forwarded-host',
];

/** Generates calls of an operation. Most follow its schemas, and many contain a hostile value somewhere. */
export class CallMaker {
  readonly #known: Known;
  readonly #hostile: HostileValues;

  constructor(known: Known, hostile: HostileValues) {
    this.#known = known;
    this.#hostile = hostile;
  }

  make(operation: Operation, random: SeededRandom): Call {
    if (operation.path === '/api/stop') return this.#refusedStop(random);
    const target = this.#path(operation, random) + this.#query(operation, random);
    const headers = this.#headers(operation, random);
    const method = random.next() < 0.06 ? random.pick(otherMethods) : operation.method;
    // If the parser rejects the request, it knows no method, and its refusal has a body. After HEAD, a client expects none.
    const isAsked = method !== 'HEAD' || isPlainHead(target, headers);
    const { body, ...sent } = this.#body(operation, isAsked ? method : operation.method, random);
    return {
      method: isAsked ? method : operation.method,
      target,
      headers: { ...sent.headers, ...headers },
      body,
      hangsUp: target.includes('wait='),
    };
  }

  /** The generated requests are always invalid, because a valid one would stop the service. */
  #refusedStop(random: SeededRandom): Call {
    const all = random.pick([
      '1',
      '"true"',
      'null',
      '[true]',
      '{}',
      '1e400',
      '-0',
      '"\\ud800"',
      '{"a":1,"a":2}',
    ]);
    const [type, text] = random.pick([
      ['application/json', `{"all":${all}}`],
      ['application/json', `{"all":true,"all":${all}}`],
      ['application/json', `[${all}]`],
      ['application/json', '{"all":true'],
      ['application/json', `{"all":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
      ['application/json', '{"__proto__":{"all":true}}'],
      ['text/plain', '{"all":true}'],
      ['application/x-www-form-urlencoded', 'all=true'],
    ] as const);
    const headers = { 'content-type': type, 'accept-language': this.#hostile.header(random) };
    return {
      method: 'POST',
      target: '/api/stop',
      headers: { ...headers, 'content-length': String(text.length) },
      body: Buffer.from(text),
      hangsUp: false,
    };
  }

  #path({ path, method }: Operation, random: SeededRandom): string {
    // Only a run may report progress.
    const isOfRun = random.next() < (path === '/api/progress' ? 0.7 : 0.15);
    const prefix = isOfRun ? this.#known.prefix(random) : '';
    let filled = path.replace('{id}', () =>
      random.next() < 0.7 ? this.#known.id(path, method, random) : this.#hostile.inUrl(random),
    );
    filled = filled.replace('{key}', () =>
      random.next() < 0.7 ? this.#known.environment(random) : this.#hostile.inUrl(random),
    );
    if (path.startsWith('/api/secrets/'))
      filled = filled.replace('{name}', () =>
        random.next() < 0.7 ? this.#known.secret(random) : this.#hostile.inUrl(random),
      );
    filled = filled.replace('{owner}/{name}', () =>
      random.next() < 0.7
        ? this.#known.repo(method, random)
        : `${this.#hostile.inUrl(random)}/${this.#hostile.inUrl(random)}`,
    );
    if (random.next() < 0.02) {
      const steps = filled.split('/');
      steps.splice(random.between(1, steps.length), random.between(0, 1), this.#hostile.inUrl(random));
      filled = steps.join('/');
    }
    // `%61` must mean the same as `a`.
    if (random.next() < 0.02) filled = filled.replace('a', '%61');
    // Exactly one leading slash: access control, not the routes, handles two slashes or none.
    return `${prefix}/${filled.replace(/^\/+/, '')}`;
  }

  #query({ parameters }: Operation, random: SeededRandom): string {
    const parts: string[] = [];
    const isValid = random.next() < 0.4;
    for (const parameter of parameters.filter((each) => each.in === 'query')) {
      if (random.next() > (parameter.required ? 0.9 : 0.3)) continue;
      parts.push(`${parameter.name}=${this.#queryValue(parameter, isValid, random)}`);
      if (!isValid && random.next() < 0.1)
        parts.push(`${parameter.name}=${this.#queryValue(parameter, isValid, random)}`);
    }
    if (!isValid && random.next() < 0.1)
      parts.push(`${this.#hostile.inUrl(random)}=${this.#hostile.inUrl(random)}`);
    if (!isValid && random.next() < 0.05) parts.push(random.pick(oddQueries));
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  }

  #queryValue({ name, schema }: Parameter, isValid: boolean, random: SeededRandom): string {
    const kind = random.next();
    if (isValid || kind < 0.3)
      return escaped(this.#known.query(name, random) ?? String(this.#plain(schema, random)));
    return kind < 0.5 ? escaped(String(this.#plain(schema, random))) : this.#hostile.inUrl(random);
  }

  #headers({ parameters }: Operation, random: SeededRandom): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {};
    for (const { name, in: place } of parameters) {
      if (place !== 'header' || random.next() < 0.6) continue;
      const known = this.#known.header(name, random);
      headers[name] = random.next() < 0.5 ? known : this.#hostile.header(random);
      if (random.next() < 0.1) headers[name] = [known, this.#hostile.header(random)];
    }
    if (random.next() < 0.12) headers[random.pick(anyHeaders)] = this.#hostile.header(random);
    return headers;
  }

  #body(
    { bodies }: Operation,
    method: string,
    random: SeededRandom,
  ): { headers: Record<string, string>; body: Buffer | null } {
    // Node answers a TRACE or HEAD request with a body by itself, or parses the body as another request.
    if (method === 'TRACE' || method === 'HEAD') return { headers: {}, body: null };
    if (bodies.length === 0 && random.next() < 0.95) return { headers: {}, body: null };
    const [declared, schema] =
      bodies.length === 0 ? (['application/json', {}] as const) : random.pick(bodies);
    const meant = declared.endsWith('urlencoded') ? this.#form(schema, random) : this.#json(schema, random);
    const type = random.next() < 0.9 ? declared : random.pick(otherTypes);
    const body = random.next() < 0.8 ? Buffer.from(meant) : this.#hostile.body(random, meant, declared);
    const headers: Record<string, string> = random.next() < 0.02 ? {} : { 'content-type': type };
    if (random.next() < 0.03) return { headers, body: null };
    const length: Record<string, string> =
      random.next() < 0.1 ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
    return { headers: { ...headers, ...length }, body };
  }

  /** The JSON text of an object of this schema. Values are texts already, because some of them are not JSON. */
  #json(schema: Schema, random: SeededRandom): string {
    const known = this.#known.body(schema, random);
    if (random.next() < 0.45) return JSON.stringify(onlyOf(known, schema));
    const fields: string[] = [];
    for (const [name, each] of Object.entries(schema.properties ?? {})) {
      const kind = random.next();
      if (kind < 0.65 && name in known) fields.push(`"${name}":${JSON.stringify(known[name])}`);
      else if (kind < 0.75 && !(name in known))
        fields.push(`"${name}":${JSON.stringify(this.#plain(each, random))}`);
      else if (kind > 0.86) fields.push(`"${name}":${this.#hostile.json(random)}`);
    }
    if (random.next() < 0.06)
      fields.push(`${JSON.stringify(this.#hostile.text(random))}:${this.#hostile.json(random)}`);
    return `{${fields.join(',')}}`;
  }

  #form(schema: Schema, random: SeededRandom): string {
    const known = this.#known.body(schema, random);
    if (random.next() < 0.45) return formOf(onlyOf(known, schema));
    const fields = Object.keys(schema.properties ?? {}).flatMap((name) => {
      const kind = random.next();
      if (kind < 0.6 && name in known) return [formOf({ [name]: known[name] })];
      if (kind > 0.9) return [`${name}=${this.#hostile.inUrl(random)}`];
      if (kind > 0.8) return [`${name}=${escaped(this.#hostile.json(random))}`];
      return [];
    });
    if (random.next() < 0.05) fields.push(`${asBytes(this.#hostile.text(random))}=1`);
    return fields.join('&');
  }

  /** A value generated from the schema alone, at its limits and just beyond them. */
  #plain(schema: Schema, random: SeededRandom): unknown {
    if (schema.anyOf !== undefined) return this.#plain(random.pick(schema.anyOf), random);
    if (schema.enum !== undefined) return random.next() < 0.8 ? random.pick(schema.enum) : 'none of them';
    const { minimum = -5, maximum = 2 ** 31 } = schema;
    switch (schema.type) {
      case 'integer':
      case 'number':
        return random.pick([minimum - 1, minimum, minimum + 0.5, minimum + 1, maximum, maximum + 1]);
      case 'boolean':
        return random.next() < 0.5;
      case 'null':
        return null;
      case 'array':
        return Array.from({ length: random.between(0, 3) }, () => this.#hostile.text(random));
      case 'object':
        return random.next() < 0.5 ? {} : { [this.#hostile.text(random)]: this.#hostile.text(random) };
      default:
        return schema.format === 'uuid' ? randomUUID() : this.#hostile.text(random);
    }
  }
}

function isPlainHead(target: string, headers: object): boolean {
  return /^[\x21-\x7e]{1,8000}$/.test(target) && JSON.stringify(headers).length < 8000;
}

/** Only the fields that the schema declares. */
function onlyOf(fields: Record<string, unknown>, { properties = {} }: Schema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in properties));
}

function formOf(fields: Record<string, unknown>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${escaped(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('&');
}
