import type { FastifyInstance } from 'fastify';

import { tryParseJson } from '../shared/json.ts';
import type { AppDependencies } from './dependencies.ts';
import { notForRuns } from './runs/script-runs.ts';

/** The codes of JSON-RPC. */
const parseError = -32700;

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
        if (request.method === 'POST' && request.body === undefined)
          return reply.code(400).send({
            jsonrpc: '2.0',
            error: { code: parseError, message: 'The body is not valid JSON.' },
            id: null,
          });
        request.isLasting = true;
        reply.hijack();
        try {
          await mcp.handle(request.raw, reply.raw, request.body);
        } catch (error) {
          mcp.reportDefect(error);
          reply.raw.destroy();
        }
        return reply;
      },
    });
    done();
  });
}
