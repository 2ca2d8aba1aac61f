import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { ApiError, type ContentAnswer } from '../contract/common.ts';
import type { Operation } from './openapi.ts';

/** The parameters in a path, such as `id` in `/api/runs/:id`. */
type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [Key in Name]: string } & Params<Rest>
  : Path extends `${string}:${infer Name}`
    ? { [Key in Name]: string }
    : unknown;

/** An operation with a body shows how to use it. */
type Request =
  | { readonly body?: undefined; readonly examples?: undefined }
  | Required<Pick<Operation, 'body' | 'examples'>>;

/** A route and its description in the OpenAPI document. */
type Route<Path extends string> = Omit<
  Operation,
  'method' | 'path' | 'answers' | 'error' | 'body' | 'examples'
> &
  Request & {
    /** An older path of the operation, which the document does not show. */
    alias?: string;
    /** The answer to a request that succeeded. */
    answer: TSchema | ContentAnswer;
    /** The status of that answer; absent: 200. */
    status?: 200 | 201;
    /** Other answers, by status. */
    otherAnswers?: Readonly<Record<number, TSchema | ContentAnswer>>;
    /** The schema of all errors; absent: the one that most routes share. */
    error?: TSchema;
    handle(request: FastifyRequest<{ Params: Params<Path> }>, reply: FastifyReply): unknown;
  };

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
    /** The OpenAPI document does not show the route: an older path, or the address of another protocol. */
    isUndescribed?: boolean;
  }
}

/** Adds the route of an operation, such as `GET /api/runs/:id`. */
export function route<Name extends string>(
  app: FastifyInstance,
  name: Name,
  { alias, answer, status = 200, otherAnswers, error = ApiError, handle, ...described }: Route<Name>,
): void {
  const [method = '', path = ''] = name.split(' ');
  const operation = { ...described, method, path, answers: { [status]: answer, ...otherAnswers }, error };
  app.route<{ Params: Params<Name> }>({ method, url: path, config: { operation }, handler: handle });
  if (alias !== undefined)
    app.route<{ Params: Params<Name> }>({
      method,
      url: alias,
      config: { isUndescribed: true },
      handler: handle,
    });
}
