import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

import { consolePages } from '../console-pages.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Scripts and everything else come from the service alone. The terminal writes its colours into the page, so styles may stand there. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The console: one page at all of its addresses, and the files that this loads. */
export async function addConsoleRoutes(
  app: FastifyInstance,
  { consoleFolder }: AppDependencies,
): Promise<void> {
  if (consoleFolder === null) return;
  await app.register(fastifyStatic, {
    root: consoleFolder,
    // Each file has a route of its own: nothing else in the folder, or above it, can be asked for.
    wildcard: false,
    index: false,
    // The page itself goes with a policy, by its addresses alone.
    globIgnore: ['index.html'],
    // The door says for every answer how long it may be kept: not at all.
    cacheControl: false,
    etag: false,
    lastModified: false,
    schemaHide: true,
  });
  const sendPage = (_request: unknown, reply: FastifyReply) =>
    reply
      .headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
      .sendFile('index.html');
  for (const path of consolePages) app.get(path, { schema: { hide: true } }, sendPage);
}
