import type { IncomingMessage } from 'node:http';

const admitted = new WeakSet<IncomingMessage>();

export function noteAdmitted(request: IncomingMessage): void {
  admitted.add(request);
}

/** Whether a request passed the access rules. Routes refuse every other request. */
export function wasAdmitted(request: IncomingMessage): boolean {
  return admitted.has(request);
}
