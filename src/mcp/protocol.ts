import {
  createMcpHandler,
  type McpHttpHandler,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import { type AgentRequest, defect, UnknownResource, UnknownTool } from './agent.ts';
import type { AgentTools } from './agent-tools.ts';
import { type RunResources, resourceTemplates } from './resources.ts';

interface ProtocolOptions {
  tools: AgentTools;
  resources: RunResources;
  version: string;
  log: Logger;
}

const instructions =
  'Each tool runs a script on the machine of the user. A script that takes longer than 45 seconds continues in the background: call hob_wait with the run_id of the answer. hob_runs lists your runs, also those of an earlier session. hob_output returns what a script printed.';

const longestClientName = 100;

/** Builds a server of the protocol: one for each request or, for older clients, for each session. */
export function agentServer({ tools, resources, version, log }: ProtocolOptions): Server {
  const server = new Server(
    { name: 'hob', title: 'Hob', version },
    { capabilities: { tools: { listChanged: true }, resources: {} }, instructions },
  );
  server.onerror = (error) => log.debug({ err: error }, 'an MCP message could not be handled');
  const refuse = (error: unknown): never => {
    if (error instanceof UnknownTool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    if (error instanceof ProtocolError) throw error;
    log.error({ err: error }, 'a request of an agent failed');
    throw new ProtocolError(ProtocolErrorCode.InternalError, defect);
  };

  server.setRequestHandler('tools/list', async () => ({ tools: [...(await tools.list())] }));

  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const args = params.arguments ?? {};
    if (!isJsonObject(args))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'arguments must be an object.');
    const answer = await tools.call(params.name, args, agentRequest(server, context)).catch(refuse);
    return { ...answer, content: [...answer.content] };
  });

  server.setRequestHandler('resources/list', async (_request, context) => ({
    resources: await resources.list(context.mcpReq.signal).catch(refuse),
  }));

  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));

  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    try {
      return { contents: [await resources.read(uri)] };
    } catch (error) {
      if (error instanceof UnknownResource) throw new ResourceNotFoundError(uri, error.message);
      return refuse(error);
    }
  });
  return server;
}

/** Serves the stateless protocol: each request has a server of its own. `mostStreams`: streams for messages of Hob. */
export function statelessHandler(options: ProtocolOptions & { mostStreams: number }): McpHttpHandler {
  const serve = (_context: McpRequestContext) => agentServer(options);
  return createMcpHandler(serve, {
    legacy: 'reject',
    maxSubscriptions: options.mostStreams,
    onerror: (error) => options.log.debug({ err: error }, 'an MCP request was refused'),
  });
}

function agentRequest(server: Server, { mcpReq }: ServerContext): AgentRequest {
  const token = mcpReq._meta?.progressToken;
  return {
    client: clientName(server.getClientVersion()?.name),
    signal: mcpReq.signal,
    report:
      token === undefined
        ? null
        : (progress) => {
            const params = { progressToken: token, ...progress };
            // The client may have disconnected.
            mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
          },
  };
}

/** The name that the client gives itself. It is no proof of who it is. */
function clientName(given: string | undefined): string {
  const name = (given ?? '').replace(/\p{C}+/gu, ' ').trim();
  return name === '' ? 'unknown' : [...name].slice(0, longestClientName).join('');
}
