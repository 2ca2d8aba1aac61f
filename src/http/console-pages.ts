/** The addresses of the console's pages, for the router. */
export const consolePages = [
  '/',
  '/scripts/:id',
  '/runs',
  '/runs/:id',
  '/overview',
  '/models',
  '/notifications',
  '/settings',
  '/docs',
] as const;

const pages = consolePages.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));
const files = /^\/(?:icon\.svg|first-paint\.js|assets\/[\w.-]+)$/;

/**
 * Whether a path is one of the console itself: a page, or a file that the pages load. These are the same for everybody and hold nothing
 * that is anybody's; what they show is asked for elsewhere.
 */
export function isOfConsole(path: string): boolean {
  return files.test(path) || pages.some((page) => page.test(path));
}
