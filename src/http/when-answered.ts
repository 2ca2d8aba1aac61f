import type { FastifyReply, FastifyRequest } from 'fastify';

import { stopping } from '../runs/refusals.ts';

/** A signal that is aborted when the answer is complete or the caller has disconnected. */
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
    // The response to a pipelined request gets no `close` event until its turn comes.
    socket.once('close', end);
  }
  return answered.signal;
}

/** Like `whenAnswered`, but also aborted before the service closes its connections. The reason is the error for the caller. */
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
