import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { SessionAnswer } from '../../contract/service.ts';
import type { AppDependencies } from '../dependencies.ts';

/** A browser sends the token once, and then uses a session cookie. */
export function addSessionRoutes(app: FastifyInstance, { guard }: AppDependencies): void {
  const response = { 200: SessionAnswer, '4xx': LaterError, '5xx': LaterError };
  const start = {
    summary: 'Start a session',
    description:
      'Exchanges the token, sent as `Authorization: Bearer`, for a session cookie, so that a browser can use the console. The session ends when it is ended or expires, when the token is renewed, or when the service stops. If the service requires no token, there is no session and `expires_at` is null.',
    response,
  };
  app.post('/api/session', { schema: start }, async (request, reply) => {
    const session = guard?.startSession(request.socket.localPort ?? 0) ?? null;
    if (session !== null) void reply.header('set-cookie', session.cookie);
    return { status: 'success', expires_at: session?.expiresAt.toISOString() ?? null };
  });

  const end = {
    summary: 'End a session',
    description: 'Revokes the session and deletes its cookie.',
    response,
  };
  app.delete('/api/session', { schema: end }, async (request, reply) => {
    if (guard !== null) void reply.header('set-cookie', guard.endSession(request.raw));
    return { status: 'success', expires_at: null };
  });
}
