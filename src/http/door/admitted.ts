import type { IncomingMessage } from 'node:http';

const admitted = new WeakSet<IncomingMessage>();

export function noteAdmitted(request: IncomingMessage): void {
  admitted.add(request);
}

/** Whether a request came by the door. What did not is answered by no route, however it got there. */
export function wasAdmitted(request: IncomingMessage): boolean {
  return admitted.has(request);
}
