import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * The default metrics of a Node.js process, under their usual names. Monitoring the event loop wakes the process a hundred times
 * a second and cannot be disabled again, like monitoring of the garbage collector. It therefore starts with the first request for
 * metrics, and only once per process. It does not keep the process alive.
 */
export function writeProcessMetrics(): Promise<string> {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry.metrics();
}
