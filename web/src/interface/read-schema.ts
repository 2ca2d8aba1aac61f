import type { Say } from '../language/language.tsx';
import { fieldsOf, listOf, type Schema, textOf } from './read-document.ts';

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
