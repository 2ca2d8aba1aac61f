import type { FastifyInstance } from 'fastify';

import type { AppDependencies } from '../dependencies.ts';
import { endSession } from '../door/token-guard.ts';
import { LaterError } from '../wire/common.ts';
import { SessionAnswer } from '../wire/service.ts';

/** A page in a browser shows the token once, and is known by a cookie from then on. */
export function addSessionRoutes(app: FastifyInstance, { guard }: AppDependencies): void {
  const response = { 200: SessionAnswer, '4xx': LaterError, '5xx': LaterError };
  const start = {
    summary: 'Start a session',
    description:
      'For pages of Hob in a browser, where a token is needed: called with it, this sets a cookie that stands for it until it expires or the token is renewed. Without need of a token there is no session, and `expires_at` is null.',
    response,
  };
  app.post('/api/session', { schema: start }, async (request, reply) => {
    const session = guard?.startSession(portOf(request.socket)) ?? null;
    if (session !== null) void reply.header('set-cookie', session.cookie);
    return { status: 'success', expires_at: session?.expiresAt.toISOString() ?? null };
  });

  const end = { summary: 'End the session', description: 'Takes the cookie back.', response };
  app.delete('/api/session', { schema: end }, async (request, reply) => {
    void reply.header('set-cookie', endSession(portOf(request.socket)));
    return { status: 'success', expires_at: null };
  });
}

function portOf({ localPort }: { localPort?: number | undefined }): number {
  return localPort ?? 0;
}
