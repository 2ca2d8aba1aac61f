/** An event as it is written to a stream of `text/event-stream`. `data` is on one line. */
export function eventFrame(id: string | number, type: string, data: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}

/** Moves the position of a client, who hears nothing of it but resumes from there. */
export function idFrame(id: string | number): string {
  return `id: ${id}\n\n`;
}

/** Goes first: how soon a client that was cut off should be back. It is here to be reached, so soon. */
export const openingFrame = 'retry: 1000\n\n';

/** A comment, which clients skip. */
export const heartbeatFrame = ': \n\n';
