import type { FastifyReply, FastifyRequest } from 'fastify';

import { stopping } from '../runs/refusals.ts';

/** Aborted when the answer is through, or when there is nobody left to answer. */
export function whenAnswered({ socket }: FastifyRequest, { raw }: FastifyReply): AbortSignal {
  const answered = new AbortController();
  const end = () => {
    socket.off('close', end);
    answered.abort();
  };
  if (raw.destroyed || socket.destroyed) {
    answered.abort();
  } else {
    raw.once('close', end);
    // The answer to a pipelined request hears nothing of the connection until its turn has come.
    socket.once('close', end);
  }
  return answered.signal;
}

/** Like `whenAnswered`, and aborted also when the service is about to close its connections, with the refusal to tell the caller then. */
export function whenAnsweredOr(
  closing: AbortSignal,
  request: FastifyRequest,
  reply: FastifyReply,
): AbortSignal {
  const over = new AbortController();
  const answered = whenAnswered(request, reply);
  const end = () => {
    closing.removeEventListener('abort', end);
    over.abort(stopping());
  };
  closing.addEventListener('abort', end, { once: true });
  answered.addEventListener('abort', end, { once: true });
  if (closing.aborted || answered.aborted) end();
  return over.signal;
}
