import type { ServerResponse } from 'node:http';

import type { FastifyInstance, FastifyReply } from 'fastify';

import { assertNever } from '../shared/assert-never.ts';
import { findJsonHazard, isJsonObject, maxJsonDepth, tryParseJson } from '../shared/json.ts';
import type { AppDependencies } from './dependencies.ts';
import { whenAnswered } from './request.ts';
import { notForRuns } from './runs/script-runs.ts';

/** The codes of JSON-RPC. */
const parseError = -32700;
const invalidRequest = -32600;

/**
 * The address of agents. It speaks the Model Context Protocol, whose messages are no operations of the OpenAPI document. Older clients
 * use all three methods, newer ones only POST.
 */
export function addMcpRoute(app: FastifyInstance, { mcp, jsonBodyBytes }: AppDependencies): void {
  void app.register((agents, _options, done) => {
    agents.removeAllContentTypeParsers();
    agents.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: jsonBodyBytes },
      (_request, bytes: Buffer, parsed) => parsed(null, tryParseJson(bytes.toString('utf8'))),
    );
    agents.route({
      method: ['POST', 'GET', 'DELETE'],
      url: '/mcp',
      config: { isUndescribed: true },
      async handler(request, reply) {
        if (request.caller !== null) throw notForRuns();
        const { body } = request;
        if (request.method === 'POST' && body === undefined)
          return refuse(reply, null, parseError, 'The body is not valid JSON.');
        // Before the library copies the body: it drops keys without a word.
        const hazard = findJsonHazard(body);
        if (hazard !== undefined) return refuse(reply, idOf(body), invalidRequest, hazardText(hazard));
        request.isLasting = true;
        closeWithConnection(whenAnswered(request, reply), reply.raw);
        reply.hijack();
        try {
          await mcp.handle(request.raw, reply.raw, body);
        } catch (error) {
          mcp.answerDefect(reply.raw, error);
        }
        return reply;
      },
    });
    done();
  });
}

/** Node closes only the response whose turn it is. The call of one behind it must end with the connection, too. */
function closeWithConnection(over: AbortSignal, response: ServerResponse): void {
  const close = () => {
    if (response.closed) return;
    response.destroy();
    response.emit('close');
  };
  if (over.aborted) close();
  else over.addEventListener('abort', close, { once: true });
}

function refuse(reply: FastifyReply, id: string | number | null, code: number, message: string) {
  return reply.code(400).send({ jsonrpc: '2.0', error: { code, message }, id });
}

/** The id of a request, which its refusal repeats. */
function idOf(body: unknown): string | number | null {
  const id = isJsonObject(body) ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function hazardText(hazard: NonNullable<ReturnType<typeof findJsonHazard>>): string {
  switch (hazard.kind) {
    case 'depth':
      return `The message is nested too deeply. Send at most ${maxJsonDepth} levels.`;
    case 'key':
      return `The message contains the forbidden key "${hazard.key}". Send it without this key.`;
    case 'number':
      return 'A number in the message is too large. Send it as a text.';
    default:
      return assertNever(hazard);
  }
}
