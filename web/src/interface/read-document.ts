import { resolveReferences } from '../api/wire.ts';
import type { Say } from '../language/language.tsx';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** A body in one media type. */
export interface Content {
  readonly type: string;
  readonly schema: Schema;
}

export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly contents: readonly Content[];
}

export interface Operation {
  /** Its fragment in the URL of the page. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly bodies: readonly Content[];
  readonly answers: readonly Answer[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
const places = ['path', 'query', 'header'] as const;

/** Reads the operations of an OpenAPI document. Malformed parts are left out. */
export function readDocument(document: unknown): Operation[] {
  return Object.entries(fieldsOf(fieldsOf(resolveReferences(document)).paths)).flatMap(([path, item]) =>
    methods
      .filter((method) => method in fieldsOf(item))
      .map((method) => readOperation(method.toUpperCase(), path, fieldsOf(fieldsOf(item)[method]))),
  );
}

function readOperation(method: string, path: string, fields: Schema): Operation {
  return {
    id: `${method}${path}`
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/-$/, ''),
    method,
    path,
    summary: textOf(fields.summary) || path,
    description: textOf(fields.description),
    parameters: listOf(fields.parameters).flatMap(readParameter),
    bodies: readContents(fieldsOf(fields.requestBody).content),
    answers: Object.entries(fieldsOf(fields.responses)).map(([status, answer]) => ({
      status: status.toLowerCase(),
      description: textOf(fieldsOf(answer).description),
      contents: readContents(fieldsOf(answer).content),
    })),
  };
}

function readParameter(value: unknown): Parameter[] {
  const { name, in: where, required, description, schema } = fieldsOf(value);
  const place = places.find((each) => each === where);
  if (place === undefined) return [];
  return [
    {
      name: textOf(name),
      place,
      isRequired: required === true,
      description: textOf(description),
      schema: fieldsOf(schema),
    },
  ];
}

function readContents(value: unknown): Content[] {
  return Object.entries(fieldsOf(value)).map(([type, content]) => ({
    type,
    schema: fieldsOf(fieldsOf(content).schema),
  }));
}

export function fieldsOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export interface Property {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** The type of a schema in a few words: string (uuid), array of number, "own" or null. */
export function kindText(schema: Schema, say: Say): string {
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.map((choice) => kindText(choice, say)).join(say(' or ', ' 或 '));
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') {
    const item = kindText(fieldsOf(schema.items), say);
    return say(`array of ${item}`, `列表（${item}）`);
  }
  const format = textOf(schema.format);
  const names: Readonly<Record<string, string>> = {
    string: say('string', '文本'),
    integer: say('integer', '整数'),
    number: say('number', '数字'),
    boolean: say('boolean', '布尔值'),
    object: say('object', '对象'),
    null: 'null',
  };
  const name = names[textOf(schema.type)] ?? say('any', '任意');
  return format === '' ? name : `${name} (${format})`;
}

/** The limits and the default of a value. */
export function limitsText(schema: Schema, say: Say): string {
  const { minimum, maximum, minLength, maxLength, maxItems, pattern, default: fallback } = schema;
  const range = (from: unknown, to: unknown) =>
    from !== undefined && to !== undefined
      ? say(`${from} to ${to}`, `${from} 到 ${to}`)
      : from !== undefined
        ? say(`at least ${from}`, `至少 ${from}`)
        : say(`at most ${to}`, `至多 ${to}`);
  return [
    (minimum !== undefined || maximum !== undefined) && range(minimum, maximum),
    (minLength !== undefined || maxLength !== undefined) &&
      say(`${range(minLength, maxLength)} characters`, `${range(minLength, maxLength)} 个字符`),
    maxItems !== undefined && say(`at most ${maxItems} items`, `至多 ${maxItems} 项`),
    typeof pattern === 'string' && pattern,
    fallback !== undefined && say(`default ${JSON.stringify(fallback)}`, `默认 ${JSON.stringify(fallback)}`),
  ]
    .filter((text) => typeof text === 'string')
    .join(' · ');
}

/** The properties of an object. */
export function propertiesOf(schema: Schema): Property[] {
  const required = new Set(listOf(schema.required));
  return Object.entries(fieldsOf(schema.properties)).map(([name, value]) => ({
    name,
    isRequired: required.has(name),
    schema: fieldsOf(value),
  }));
}

/** The objects to show below a schema: the schema itself, the items of an array, or each alternative. */
export function objectsIn(schema: Schema): Schema[] {
  if (schema.type === 'array') return objectsIn(fieldsOf(schema.items));
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.flatMap(objectsIn);
  if (schema.properties !== undefined) return [schema];
  // For a map with arbitrary keys, its values.
  return schema.type === 'object' ? objectsIn(fieldsOf(schema.additionalProperties)) : [];
}

function choicesOf(schema: Schema): Schema[] {
  return [...listOf(schema.anyOf), ...listOf(schema.oneOf)].map(fieldsOf);
}

/** Whether an operation changes nothing and its response ends. */
export function canTry({ method, answers }: Operation): boolean {
  return method === 'GET' && !isStream(answers);
}

/** The URL with the entered values. Empty values are not sent. */
export function addressOf({ path, parameters }: Operation, values: Readonly<Record<string, string>>): string {
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]?.trim() ?? ''));
  const query = new URLSearchParams(
    parameters
      .filter(({ place, name }) => place === 'query' && (values[name] ?? '') !== '')
      .map(({ name }) => [name, values[name] ?? '']),
  ).toString();
  return query === '' ? at : `${at}?${query}`;
}

/** A curl command that calls an operation with its required parameters. */
export function exampleCurl(
  { method, path, parameters, bodies, answers }: Operation,
  { base, asksForToken }: { base: string; asksForToken: boolean },
): string {
  const needed = parameters.filter(({ place, isRequired }) => place === 'query' && isRequired);
  const query = needed.map(({ name }) => `${name}=<${name}>`).join('&');
  const address = `${base}${path.replace(/\{(\w+)\}/g, '<$1>')}${query === '' ? '' : `?${query}`}`;
  const json = bodies.find(({ type }) => type === 'application/json');
  return [
    isStream(answers) ? 'curl -N' : 'curl -sS',
    method !== 'GET' && (method !== 'POST' || json === undefined) && `-X ${method}`,
    asksForToken && '-H "Authorization: Bearer $(hob token)"',
    json !== undefined && "-H 'Content-Type: application/json'",
    json !== undefined && `-d '${JSON.stringify(exampleOf(json.schema))}'`,
    `'${address}'`,
  ]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

/** Sample values for the required properties of an object, or for the first property if none is required. */
function exampleOf(schema: Schema): Record<string, unknown> {
  const all = propertiesOf(schema);
  const required = all.filter(({ isRequired }) => isRequired);
  const chosen = required.length > 0 ? required : all.slice(0, 1);
  return Object.fromEntries(chosen.map(({ name, schema: value }) => [name, sampleOf(name, value)]));
}

function sampleOf(name: string, schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  const [choice] = listOf(schema.enum);
  if (choice !== undefined) return choice;
  const [form] = listOf(schema.anyOf);
  if (form !== undefined) return sampleOf(name, fieldsOf(form));
  const values: Readonly<Record<string, unknown>> = {
    integer: 0,
    number: 0,
    boolean: true,
    array: [],
    object: {},
  };
  return values[textOf(schema.type)] ?? `<${name}>`;
}

function isStream(answers: readonly Answer[]): boolean {
  return answers.some(({ contents }) => contents.some(({ type }) => type === 'text/event-stream'));
}
