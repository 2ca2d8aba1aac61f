/**
 * An OpenAPI document whose references are replaced by what they name. A part that contains itself is replaced once; inside it,
 * only its description remains.
 */
export function resolveReferences(document: unknown): unknown {
  return resolve(document, []);

  function resolve(value: unknown, within: readonly string[]): unknown {
    if (Array.isArray(value)) return value.map((each) => resolve(each, within));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest }: { $ref?: unknown } = value;
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each, within)]));
    const named = find(document, $ref);
    if (within.includes($ref)) return descriptionOf(named);
    return { ...Object(resolve(named, [...within, $ref])), ...rest };
  }
}

function find(document: unknown, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => Reflect.get(Object(value), key), document);
}

function descriptionOf(value: unknown): object {
  const description = Reflect.get(Object(value), 'description');
  return description === undefined ? {} : { description };
}
