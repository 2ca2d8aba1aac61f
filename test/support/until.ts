import { readFile, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const betweenLooksMs = 10;
/**
 * What takes longer hangs. Nothing is told by how long something takes, as other tests, and other machines on the same host,
 * may be busy; less than a test may take, so that it fails with what it waited for.
 */
export const hungMs = 120_000;
/** Half of the minute after which an executor goes that was forgotten: who waits longer sees that, and not that it was ended. */
export const goneMs = 30_000;

/** Looks again and again until there is something to see, for what no event tells of. */
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

/** Waits until a file is there. */
export async function fileThere(path: string): Promise<void> {
  await until(`${path} is there`, async () => {
    const found = await stat(path).catch(() => null);
    return found !== null;
  });
}

/** The lines of a file that others append to; none when it is not there yet. */
export async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}
