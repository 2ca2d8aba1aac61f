import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LaterError } from '../contract/common.ts';

/** The parameters in a path, such as `id` in `/api/runs/:id`. */
type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [Key in Name]: string } & Params<Rest>
  : Path extends `${string}:${infer Name}`
    ? { [Key in Name]: string }
    : unknown;

/** A route and its description in the OpenAPI document. */
interface Route<Path extends string> {
  summary: string;
  description?: string;
  consumes?: string[];
  querystring?: object;
  headers?: object;
  body?: object;
  /** The schema of the answer to a request that succeeded. */
  answer: object;
  /** The status of that answer; absent: 200. */
  status?: 200 | 201;
  /** The schemas of other answers, by status. */
  otherAnswers?: Record<number, object>;
  /** The schema of all errors; absent: the one that most routes share. */
  error?: object;
  handle(request: FastifyRequest<{ Params: Params<Path> }>, reply: FastifyReply): unknown;
}

/** Adds the route of an operation, such as `GET /api/runs/:id`. */
export function route<Operation extends string>(
  app: FastifyInstance,
  operation: Operation,
  { answer, status = 200, otherAnswers, error = LaterError, handle, ...request }: Route<Operation>,
): void {
  const [method = '', url = ''] = operation.split(' ');
  const response = { [status]: answer, ...otherAnswers, '4xx': error, '5xx': error };
  app.route<{ Params: Params<Operation> }>({
    method,
    url,
    schema: { ...request, response },
    handler: handle,
  });
}
