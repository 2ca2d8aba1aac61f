import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { claimFolder, isClaimed } from '../../shared/claim-folder.ts';
import { isJsonObject } from '../../shared/json.ts';

const claimNames = { prefix: 'building-', suffix: '' };

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
 */
export function claimBuild(
  environment: string,
  options: { signal: AbortSignal; onWait: () => void },
): Promise<() => Promise<void>> {
  const makeFolder = () => mkdir(environment, { recursive: true, mode: 0o700 });
  return claimFolder(environment, claimNames, { ...options, makeFolder });
}

/** Whether a live process is building this environment. */
export function isBeingBuilt(environment: string): Promise<boolean> {
  return isClaimed(environment, claimNames);
}
