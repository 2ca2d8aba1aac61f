import type { TSchema } from 'typebox';
import type { BodyExample, Content, ContentAnswer } from '../contract/common.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { interfaceVersion } from '../shared/version.ts';
import { cookieName } from './access/sessions.ts';
import { operationsOfRuns, publicOperation } from './access/token-guard.ts';

/** The groups of operations, in the order of the reference. */
const tags = {
  'Run scripts': 'Start runs and report from them. Scripts call these operations through their own address.',
  Runs: 'Watch, list, stop and repeat runs, and read their output.',
  Scripts: 'The scripts that Hob has found, and the format of their manifests.',
  Triggers: 'Rules that start runs by themselves: schedules, folders and webhooks.',
  Agents: 'The scripts that AI agents may call as tools, and what they ask the user.',
  Notifications: 'Notifications on the desktop of the user.',
  Models: 'Models that scripts need: their folders and downloads.',
  'Packages and environments': 'Installed scripts, and the environments with their dependencies.',
  Secrets: 'Secrets that Hob keeps for webhooks. Values go in, never out.',
  Service: 'The service itself, its settings and the machine that it runs on.',
} as const;

export type Tag = keyof typeof tags;

/** The description of a route, from which its part of the OpenAPI document is generated. */
export interface Operation {
  readonly method: string;
  /** In the syntax of the router: `/api/runs/:id`. */
  readonly path: string;
  /** The name of the operation in generated clients. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly query?: TSchema | undefined;
  readonly headers?: TSchema | undefined;
  readonly body?: TSchema | Content | undefined;
  /** JSON bodies that work, by name. */
  readonly examples?: Readonly<Record<string, BodyExample>> | undefined;
  /** By status. */
  readonly answers: Readonly<Record<number, TSchema | ContentAnswer>>;
  readonly error: TSchema;
}

const addresses = (port: number) => {
  const variables = { port: { default: String(port), description: 'The setting `port`.' } };
  const service = {
    url: 'http://127.0.0.1:{port}',
    description: 'The service on this machine.',
    variables,
  };
  const run = {
    url: 'http://127.0.0.1:{port}/r/{run_token}',
    description:
      'The address of a run: `environment.api_base` in its parameter file. The run token in it identifies the calling run, and is the credential of the run in token mode.',
    variables: {
      ...variables,
      run_token: { default: 'token', description: 'The token that Hob gave to the run.' },
    },
  };
  return { service, run };
};

/** Generates the OpenAPI document of the service at this port. */
export function openApiDocument(
  operations: readonly Operation[],
  { version, port }: { version: string; port: number },
): JsonObject {
  const { service, run } = addresses(port);
  const components = new Components();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    const described = operationObject(operation, components);
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: operationsOfRuns.has(operation.path)
        ? { ...described, servers: [service, run] }
        : described,
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hob',
      version,
      description: `Manages and runs the scripts on this machine. Implements interface ${interfaceVersion}.`,
      contact: { name: 'Hob' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [service],
    // The token is required only if the setting `token` is on.
    security: [{}, { token: [] }, { session: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'Token mode: the text that `hob token` prints. Needed if the setting `token` is on.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName(port),
          description: 'Token mode in a browser: the cookie that `POST /api/session` sets.',
        },
      },
    },
  };
}

function operationObject(operation: Operation, components: Components): JsonObject {
  const { operationId, tag, summary, description, body } = operation;
  const errors = components.response(operation.error);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(operation.path === publicOperation && { security: [] }),
    parameters: [
      ...pathParameters(operation.path),
      ...parametersIn('query', operation.query, components),
      ...parametersIn('header', operation.headers, components),
    ],
    ...(body !== undefined && { requestBody: bodyObject(body, operation.examples, components) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, answer]) => [
          status,
          answerObject(answer, components),
        ]),
      ),
      '4XX': errors,
      '5XX': errors,
    },
  };
}

/** The meaning of each parameter in a path, by the path up to it. */
const meanings: Readonly<Record<string, string>> = {
  '/api/agents/questions/:id': 'Id of the question.',
  '/api/agents/scripts/:id': 'Id or slug of the script.',
  '/api/environments/:key': 'Key of the environment, from the list of environments.',
  '/api/models/:owner': 'The part of the name of the model before the slash.',
  '/api/models/:owner/:name': 'The part of the name of the model after the slash.',
  '/api/models/downloads/:id': 'Id of the download.',
  '/api/package-operations/:id': 'Id of the operation.',
  '/api/packages/:id': 'UUID of the installed script.',
  '/api/runs/:id': 'UUID of the run.',
  '/api/scripts/:id': 'UUID or slug of the script.',
  '/api/secrets/:name': 'Name of the secret: 1 to 64 characters of a-z, 0-9 and -.',
  '/api/triggers/:id': 'Id of the trigger.',
};

function pathParameters(path: string): JsonObject[] {
  return Array.from(path.matchAll(/:(\w+)/g), ({ 0: whole, 1: name = '', index }) => {
    const description = meanings[path.slice(0, index + whole.length)];
    if (description === undefined) throw new Error(`a parameter of ${path} has no description`);
    return { name, in: 'path', required: true, description, schema: { type: 'string' } };
  });
}

function parametersIn(place: string, schema: object | undefined, components: Components): JsonObject[] {
  if (schema === undefined) return [];
  const { properties, required = [] }: { properties?: object; required?: readonly string[] } = schema;
  return Object.entries(properties ?? {}).map(([name, value]) => {
    const { description, ...rest } = components.inline(value);
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

function bodyObject(
  body: TSchema | Content,
  examples: Operation['examples'],
  components: Components,
): JsonObject {
  const content = 'content' in body ? body.content : { 'application/json': { schema: body } };
  return {
    // A missing body counts as an empty object.
    required: Object.values(content).some(({ schema }) => 'required' in schema),
    content: Object.fromEntries(
      Object.entries(content).map(([type, { schema }]) => [
        type,
        {
          schema: components.schema(schema),
          ...(type === 'application/json' &&
            examples !== undefined && { examples: exampleObjects(examples) }),
        },
      ]),
    ),
  };
}

function exampleObjects(examples: NonNullable<Operation['examples']>): JsonObject {
  return Object.fromEntries(
    Object.entries(examples).map(([name, { summary, body }]) => [name, { summary, value: body }]),
  );
}

function answerObject(answer: TSchema | ContentAnswer, components: Components): JsonObject {
  if (!('content' in answer)) {
    const description = Reflect.get(answer, 'description') ?? '';
    if (Reflect.get(answer, 'type') === 'null') return { description };
    return { description, content: { 'application/json': { schema: components.schema(answer) } } };
  }
  const { description, headers = {}, content } = answer;
  return {
    description,
    ...(Object.keys(headers).length > 0 && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, schema]) => {
          const { description: meaning, ...rest } = components.inline(schema);
          return [name, { ...(meaning !== undefined && { description: meaning }), schema: rest }];
        }),
      ),
    }),
    content: Object.fromEntries(
      Object.entries(content).map(([type, { schema }]) => [type, { schema: components.schema(schema) }]),
    ),
  };
}

/** Collects the schemas that have a name, so that the document has each of them once. */
class Components {
  readonly schemas: Record<string, Json> = {};
  readonly responses: Record<string, JsonObject> = {};

  /** A schema as the document shows it: a reference if it has a name. */
  schema(schema: unknown): Json {
    if (Array.isArray(schema)) return schema.map((each) => this.schema(each));
    if (typeof schema !== 'object' || schema === null) return toJson(schema);
    const { $id: name, ...fields }: { $id?: string } = schema;
    const plain: Record<string, Json> = {};
    for (const [key, value] of Object.entries(fields)) plain[key] = this.schema(value);
    // Code generators understand a map in this form only.
    const { patternProperties: map } = plain;
    if (isJsonObject(map)) {
      [plain.additionalProperties = true] = Object.values(map);
      delete plain.patternProperties;
    }
    // They need the type of an enumeration.
    if (Array.isArray(plain.enum) && plain.enum.every((each) => typeof each === 'string'))
      plain.type = 'string';
    if (name === undefined) return plain;
    const known = this.schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(plain))
      throw new Error(`two different schemas have the name ${name}`);
    this.schemas[name] = plain;
    return { $ref: `#/components/schemas/${name}` };
  }

  inline(schema: unknown): JsonObject {
    const plain = this.schema(schema);
    if (!isJsonObject(plain)) throw new Error('a schema must be an object');
    return plain;
  }

  /** An error, in a form that several operations share. */
  response(error: TSchema): JsonObject {
    const reference = this.inline(error);
    const name = String(reference.$ref).split('/').at(-1) ?? '';
    this.responses[name] ??= {
      description: String(Reflect.get(error, 'description') ?? ''),
      headers: {
        'X-Hob-Error': { description: 'The machine-readable code of the error.', schema: { type: 'string' } },
        'Retry-After': {
          description: 'Seconds after which a retry can succeed. Only sent if one can.',
          schema: { type: 'string' },
        },
      },
      content: { 'application/json': { schema: reference } },
    };
    return { $ref: `#/components/responses/${name}` };
  }
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}
