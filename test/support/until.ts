import { readFile, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const betweenLooksMs = 10;
/**
 * A wait that takes longer counts as hung. It is so long because other tests, and other machines on the same host, may
 * be busy. It is shorter than the timeout of a test, so that the failure names what the test waited for.
 */
export const hungMs = 120_000;
/** Half of the minute after which an abandoned executor exits by itself. A longer wait could not show that it was stopped. */
export const goneMs = 30_000;

/** Polls until `look` returns something, for changes without an event. */
export async function until<Seen>(
  what: string,
  look: () => Promise<Seen | false | undefined>,
  withinMs = hungMs,
): Promise<Seen> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== undefined) return seen;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(betweenLooksMs);
  }
}

/** Waits until a file exists. */
export async function fileThere(path: string): Promise<void> {
  await until(`${path} is there`, async () => {
    const found = await stat(path).catch(() => null);
    return found !== null;
  });
}

/** The lines of a file that others append to; none if it does not exist yet. */
export async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}
