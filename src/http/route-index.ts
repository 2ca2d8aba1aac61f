import type { RouteOptions } from 'fastify';

import { pathOfTarget } from './path-of-target.ts';

/** The methods of each path. Distinguishes a wrong method (405) from an unknown path (404). */
export class RouteIndex {
  readonly #routes: { pattern: RegExp; methods: string[] }[] = [];

  add({ url, method }: Pick<RouteOptions, 'url' | 'method'>): void {
    const methods = Array.isArray(method) ? method : [method];
    const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    const pattern = new RegExp(`^${literal.replace(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
    this.#routes.push({ pattern, methods: [...methods] });
  }

  methodsAt(url: string): string[] {
    const path = pathOfTarget(url);
    const methods = this.#routes
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((route) => route.methods);
    return [...new Set(methods)].sort();
  }
}
