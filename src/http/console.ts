import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The paths of the console's pages, in the router's syntax. */
const consolePages = [
  '/',
  '/scripts/:id',
  '/runs',
  '/runs/:id',
  '/triggers',
  '/triggers/:id',
  '/triggers/:id/edit',
  '/triggers/new/:kind',
  '/agents',
  '/overview',
  '/models',
  '/notifications',
  '/settings',
  '/docs',
] as const;

const pages = consolePages.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));
const files = /^\/(?:icon\.svg|first-paint\.js|assets\/[\w.-]+)$/;

/**
 * Whether a path belongs to the console itself: a page, or a file that the pages load. These files are the same for all users and
 * contain no user data. The pages load their data from the API.
 */
export function isOfConsole(path: string): boolean {
  return files.test(path) || pages.some((page) => page.test(path));
}

/** All resources must come from the service itself. Inline styles are allowed, because the terminal sets its colours that way. */
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

/** Serves the console: the same page at all of its paths, and the files that the page loads. */
export async function addConsoleRoutes(app: FastifyInstance, consoleFolder: string | null): Promise<void> {
  if (consoleFolder === null) return;
  await app.register(fastifyStatic, {
    root: consoleFolder,
    // Each file gets its own route, so no other file in or above the folder can be requested.
    wildcard: false,
    index: false,
    // `sendConsole` serves the page, with a content security policy.
    globIgnore: ['index.html', '**/*.gz'],
    // The build stores a compressed copy of each file. Uncompressed, the files are a megabyte, too slow on a slow network.
    preCompressed: true,
    // The server already sends `cache-control: no-store` with every answer.
    cacheControl: false,
    etag: false,
    lastModified: false,
  });
  for (const path of consolePages) app.get(path, (_request, reply) => sendConsole(reply));
}

/** Sends the console's page, which renders the view for the current address. */
export function sendConsole(reply: FastifyReply): FastifyReply {
  return reply
    .headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
    .sendFile('index.html');
}

/** Whether an address belongs to the interface for programs. */
export function isOfPrograms(url: string): boolean {
  return /^\/(?:api|mcp|metrics)(?:[/?]|$)/.test(url);
}

/** Whether a browser opens an address that may be a page. Programs do not accept HTML. */
export function isPageVisit({ method, url, headers }: FastifyRequest): boolean {
  return (
    method === 'GET' &&
    !isOfPrograms(url) &&
    !/^\/(?:assets|r)(?:[/?]|$)/.test(url) &&
    headers.accept?.includes('text/html') === true
  );
}
