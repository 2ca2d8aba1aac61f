import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, startTicksOf } from '../../shared/is-alive.ts';
import { isJsonObject } from '../../shared/json.ts';

const betweenLooksMs = 200;
const claimName = /^building-(\d+)-(\d+|x)$/;

/** Increased when the layout changes, so that old environments are no longer used. */
export const environmentFormat = 1;

const markerName = 'environment.json';

/**
 * Written last: an environment without this marker is incomplete. It names the folder that one build filled. Every build uses a new
 * folder, so that a tool of a killed builder cannot damage it.
 */
export interface Marker {
  readonly key: string;
  readonly kind: 'python' | 'node';
  readonly madeAt: string;
  readonly madeWith: string;
  readonly requirements: readonly string[];
  readonly folder: string;
}

export const madeFolderName = /^b-[0-9a-f]{8}$/;
export const keyPattern = /^[0-9a-f]{32}$/;

export function markerPath(environment: string): string {
  return join(environment, markerName);
}

/** File with the reason of a failed build in both languages, which a run cannot store. */
export function failurePath(environment: string): string {
  return `${environment}.failure.json`;
}

/** File that tells the tool what to install, if the folder of the script has none. */
export function askedPath(environment: string): string {
  return `${environment}.asked`;
}

export function pythonIn(made: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32'
    ? join(made, 'env', 'Scripts', 'python.exe')
    : join(made, 'env', 'bin', 'python');
}

export function modulesIn(made: string): string {
  return join(made, 'node_modules');
}

/** Reads the marker of an environment; null if there is no valid one. */
export async function readMarker(environment: string): Promise<Marker | null> {
  const text = await readFile(markerPath(environment), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return parseMarker(JSON.parse(text));
  } catch {
    return null;
  }
}

function parseMarker(value: unknown): Marker | null {
  if (!isJsonObject(value) || value.format !== environmentFormat) return null;
  const { key, kind, made_at: madeAt, made_with: madeWith, requirements, folder } = value;
  if (typeof key !== 'string' || (kind !== 'python' && kind !== 'node')) return null;
  if (typeof folder !== 'string' || !madeFolderName.test(folder)) return null;
  return {
    key,
    kind,
    madeAt: String(madeAt),
    madeWith: String(madeWith),
    requirements: Array.isArray(requirements) ? requirements.map(String) : [],
    folder,
  };
}

export function markerText({ key, kind, madeAt, madeWith, requirements, folder }: Marker): string {
  const fields = { key, kind, made_at: madeAt, made_with: madeWith, requirements, folder };
  return `${JSON.stringify({ format: environmentFormat, ...fields }, null, 2)}\n`;
}

/**
 * Keeps other builders away from an environment until the returned function is called. Waits for a builder of an earlier service that
 * is still building it.
 *
 * Every builder writes a claim named after itself, and continues if no other living process has one; two builders that see each other
 * both retry after a pause. A claim ends with its process, because no other process ever gets the same name.
 */
export async function claimBuild(
  environment: string,
  { signal, onWait }: { signal: AbortSignal; onWait: () => void },
): Promise<() => Promise<void>> {
  const own = `building-${process.pid}-${startTicksOf(process.pid) ?? 'x'}`;
  const path = join(environment, own);
  for (let hasWaited = false; ; hasWaited = true) {
    signal.throwIfAborted();
    // Create the folder again: a failed builder removes it.
    await mkdir(environment, { recursive: true, mode: 0o700 });
    if (!(await isBeingBuilt(environment, own))) {
      await writeFile(path, '', { mode: 0o600 });
      if (!(await isBeingBuilt(environment, own))) return () => rm(path, { force: true });
      await rm(path, { force: true });
    }
    if (!hasWaited) onWait();
    await pause(betweenLooksMs * (0.5 + Math.random()), undefined, { signal });
  }
}

/** Whether another living process is building this environment. Removes claims of dead processes. */
export async function isBeingBuilt(environment: string, own?: string): Promise<boolean> {
  let found = false;
  for (const name of await readdir(environment).catch(() => [])) {
    const [, pid, ticks] = claimName.exec(name) ?? [];
    if (pid === undefined || name === own) continue;
    if (isClaimAlive(Number(pid), ticks ?? 'x')) found = true;
    else await rm(join(environment, name), { force: true });
  }
  return found;
}

function isClaimAlive(pid: number, ticks: string): boolean {
  // Pid 0 would mean the whole process group.
  if (pid <= 0 || !isAlive(pid)) return false;
  const now = startTicksOf(pid);
  return ticks === 'x' || now === null || String(now) === ticks;
}
