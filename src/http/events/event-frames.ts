/** One event in the format `text/event-stream`. `data` must be a single line. */
export function eventFrame(id: string | number, type: string, data: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}

/** Sets the position from which a client resumes, without an event. */
export function idFrame(id: string | number): string {
  return `id: ${id}\n\n`;
}

/** Sent first: the delay before a disconnected client reconnects. It is short, because the service is local. */
export const openingFrame = 'retry: 1000\n\n';

/** A comment, which clients ignore. */
export const heartbeatFrame = ': \n\n';
