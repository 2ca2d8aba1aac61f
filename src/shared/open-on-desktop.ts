import { errnoOf } from './errors.ts';
import { startDetached } from './start-detached.ts';

/** What opens something for the person at the desk, and what comes before its address or path. */
const openers = {
  page: { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'], others: ['xdg-open'] },
  folder: { darwin: ['open'], win32: ['explorer'], others: ['xdg-open'] },
} as const;

/** Something that cannot open it says so sooner; what lasts longer has become the browser, or the window of the folder. */
const failsWithinMs = 2000;

export interface OpenFailure {
  readonly program: string;
  readonly isMissing: boolean;
  /** In a few words. */
  readonly reason: string;
}

interface OpenOptions {
  readonly platform: NodeJS.Platform;
  /** Absent: that of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Opens a page in the browser, or a folder in the file manager; null when nothing went wrong. What it is called with is taken as it is: these
 * programs start whatever belongs to a scheme or a file, so the caller makes sure that it is a page or a folder.
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
    // Some reasons not to start a program are thrown.
  }).catch((error: unknown) => ({ code: null, errno: errnoOf(error) ?? String(error) }));
  if (end === null || end.code === 0) return null;
  // It ends with 1 whatever it has opened.
  if (program === 'explorer' && end.code !== null) return null;
  const isMissing = end.errno === 'ENOENT';
  return { program, isMissing, reason: `${program}: ${end.errno ?? `exit code ${end.code}`}` };
}
