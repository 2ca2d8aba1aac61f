import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * The metrics of this process that every Node program has, under the names that dashboards know. Watching the event loop wakes
 * the process a hundred times a second and cannot be switched off again (nor can watching the garbage collector): so it begins
 * when somebody asks for the first time, and there is one of it in a process, however many services it has seen. It does
 * not keep the process alive.
 */
export function writeProcessMetrics(): Promise<string> {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry.metrics();
}
