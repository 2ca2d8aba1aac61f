/** The paths of the console's pages, in the router's syntax. */
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
 * Whether a path belongs to the console itself: a page, or a file that the pages load. These files are the same for all users and
 * contain no user data. The pages load their data from the API.
 */
export function isOfConsole(path: string): boolean {
  return files.test(path) || pages.some((page) => page.test(path));
}
