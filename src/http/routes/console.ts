import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

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
    globIgnore: ['index.html', '**/*.gz'],
    // The build puts a compressed copy beside each file: all of them are a megabyte, which is long over a slow line.
    preCompressed: true,
    // The door says for every answer how long it may be kept: not at all.
    cacheControl: false,
    etag: false,
    lastModified: false,
    schemaHide: true,
  });
  for (const path of consolePages)
    app.get(path, { schema: { hide: true } }, (_request, reply) => sendConsole(reply));
}

/** The page of the console, which shows what the address says. */
export function sendConsole(reply: FastifyReply): FastifyReply {
  return reply
    .headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
    .sendFile('index.html');
}

/** Whether somebody opens an address in a browser that may be meant for a page: a program does not prefer HTML. */
export function isPageVisit({ method, url, headers }: FastifyRequest): boolean {
  const isOfPrograms = /^\/(?:api|assets|metrics|r)(?:[/?]|$)/.test(url);
  return method === 'GET' && !isOfPrograms && headers.accept?.includes('text/html') === true;
}
