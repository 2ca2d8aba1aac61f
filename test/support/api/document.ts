import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { resolveReferences } from '../../../src/contract/references.ts';
import { projectRoot } from '../hob.ts';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  type?: string;
  format?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Content types and schemas of the request body; empty if the operation takes no body. */
  readonly bodies: readonly (readonly [type: string, schema: Schema])[];
  /** By status, or by a status class such as 4XX. */
  readonly responses: Readonly<Record<string, { content?: Content }>>;
}

interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      Pick<Operation, 'responses'> & { parameters?: Parameter[]; requestBody?: { content: Content } }
    >
  >;
}

/** Every operation of a document. */
export function readOperations(document: string): Operation[] {
  const { paths }: OpenApi = JSON.parse(JSON.stringify(resolveReferences(JSON.parse(document))));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      bodies: Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema] as const),
      responses,
    })),
  );
}

/** The status of every error code, from docs/errors.md. */
export function readErrorCatalogue(): ReadonlyMap<string, number> {
  const page = readFileSync(join(projectRoot, 'docs', 'errors.md'), 'utf8');
  const rows = page.matchAll(/^\| `([a-z-]+)` \| (\d{3}) \|/gm);
  return new Map(Array.from(rows, ([, code = '', status]) => [code, Number(status)]));
}

/** Finds the operation with the path and method of a target, or null, and all operations at that path. */
export function resolveTarget(
  operations: readonly Operation[],
  { method, target }: { method: string; target: string },
): { operation: Operation | null; atPath: readonly Operation[] } {
  const path = decodedPath(target);
  const atPath = operations.filter((operation) => fits(operation, path));
  const wanted = method === 'HEAD' ? 'GET' : method;
  return { operation: atPath.find((operation) => operation.method === wanted) ?? null, atPath };
}

/** The path without the run token and the query. A path that cannot be decoded matches no operation. */
function decodedPath(target: string): string {
  const path = target.split('?', 1)[0] ?? '';
  const [start = '', step] = /^\/r\/([^/]+)/.exec(path) ?? [];
  const rest =
    step === undefined ? path : step === 'api' ? path.slice('/r'.length) : path.slice(start.length);
  try {
    return decodeURI(step === undefined ? rest : rest.replace(/^\/*/, '/'));
  } catch {
    return '';
  }
}

function fits({ path }: Operation, given: string): boolean {
  const steps = path.split('/');
  const givenSteps = given.split('/');
  if (steps.length !== givenSteps.length) return false;
  return steps.every((step, index) => {
    const other = givenSteps[index] ?? '';
    return step.startsWith('{') ? other !== '' : step === other;
  });
}
