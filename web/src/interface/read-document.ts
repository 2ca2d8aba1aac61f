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
  return Object.entries(fieldsOf(fieldsOf(document).paths)).flatMap(([path, item]) =>
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
