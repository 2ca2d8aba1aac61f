import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ExecutionAnswer, ExecutionError, LinkBody } from '../../contract/operations.ts';
import { depthOfLink } from '../../runs/callers/chain.ts';
import type { Connection } from '../../runs/callers/trace-caller.ts';
import { readData, readParams } from '../../runs/inputs.ts';
import { AppError } from '../../shared/errors.ts';
import { answerSync } from '../answer-sync.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { readScriptId, readStructured } from '../run-fields.ts';
import { whenAnswered } from '../when-answered.ts';

export function addLinkRoute(
  app: FastifyInstance,
  { catalogue, runs, bareCallers, heartbeatMs }: AppDependencies,
): void {
  const schema = {
    summary: 'Run a node from a running script',
    description: 'Called by a running script. Waits for the end of the node and returns its envelope.',
    body: LinkBody,
    response: { 200: ExecutionAnswer, '4xx': ExecutionError, '5xx': ExecutionError },
  };
  app.post('/api/link', { schema }, async (request, reply) => {
    const body = bodyOf(request);
    const language = languageOf(request, 'zh');
    const script = await catalogue.resolve(readScriptId(body));
    if (!script.isNode) throw notANode(script.name);
    const caller =
      request.caller ?? (await bareCallers.identify(connectionOf(request), whenAnswered(request, reply)));
    const depth = depthOfLink(caller);
    const run = await runs.submit({
      script,
      origin: 'link',
      caller,
      depth,
      sync: true,
      data: readData(script, readStructured(body, 'data')),
      params: readParams(script, readStructured(body, 'params')),
      language,
    });
    return answerSync(reply, run, { heartbeatMs, language });
  });
}

/** Null if the caller has disconnected. */
function connectionOf({ socket }: FastifyRequest): Connection | null {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return null;
  return {
    clientAddress: remoteAddress,
    clientPort: remotePort,
    serverAddress: localAddress,
    serverPort: localPort,
  };
}

function notANode(name: string): AppError {
  return new AppError('script-not-a-node', {
    en: `The script "${name}" is not declared as a node, so it cannot be linked. Set enabled = true in its node table.`,
    zh: `脚本 "${name}" 未声明为节点，不允许联动调用`,
  });
}
