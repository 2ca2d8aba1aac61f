import type { Operation, Schema } from './read-document.ts';
import { fieldsOf, listOf, textOf } from './read-document.ts';
import { propertiesOf } from './read-schema.ts';

/** A curl command that calls an operation with its required parameters. */
export function exampleCurl(
  { method, path, parameters, bodies, answers }: Operation,
  { base, asksForToken }: { base: string; asksForToken: boolean },
): string {
  const needed = parameters.filter(({ place, isRequired }) => place === 'query' && isRequired);
  const query = needed.map(({ name }) => `${name}=<${name}>`).join('&');
  const address = `${base}${path.replace(/\{(\w+)\}/g, '<$1>')}${query === '' ? '' : `?${query}`}`;
  const json = bodies.find(({ type }) => type === 'application/json');
  const isStream = answers.some(({ contents }) => contents.some(({ type }) => type === 'text/event-stream'));
  return [
    isStream ? 'curl -N' : 'curl -sS',
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
