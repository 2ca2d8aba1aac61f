import { errnoOf } from './errors.ts';
import { startDetached } from './start-detached.ts';

/** The programs that open something on the desktop, and their arguments before the address or path. */
const openers = {
  page: { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'], others: ['xdg-open'] },
  folder: { darwin: ['open'], win32: ['explorer'], others: ['xdg-open'] },
} as const;

/** A program that fails exits sooner. A program that runs longer has become the browser or the window of the folder. */
const failsWithinMs = 2000;

export interface OpenFailure {
  readonly program: string;
  readonly isMissing: boolean;
  /** A short description. */
  readonly reason: string;
}

interface OpenOptions {
  readonly platform: NodeJS.Platform;
  /** The environment of this process if absent. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Opens a page in the browser, or a folder in the file manager; returns null on success. The target is not checked:
 * these programs start any program that handles a scheme or a file, so the caller must ensure that it is a page or a
 * folder.
 */
export async function openOnDesktop(
  kind: keyof typeof openers,
  target: string,
  { platform, environment }: OpenOptions,
): Promise<OpenFailure | null> {
  const known = openers[kind];
  const [program, ...args] =
    platform === 'darwin' ? known.darwin : platform === 'win32' ? known.win32 : known.others;
  const end = await startDetached(program, [...args, target], {
    ...(environment !== undefined && { env: { ...environment } }),
    signal: AbortSignal.timeout(failsWithinMs),
    // Some reasons for a failed start are thrown.
  }).catch((error: unknown) => ({ code: null, errno: errnoOf(error) ?? String(error) }));
  if (end === null || end.code === 0) return null;
  // explorer exits with 1 even on success.
  if (program === 'explorer' && end.code !== null) return null;
  const isMissing = end.errno === 'ENOENT';
  return { program, isMissing, reason: `${program}: ${end.errno ?? `exit code ${end.code}`}` };
}
