import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { isJsonObject } from '../../shared/json.ts';

/** Counted up when environments are made in another way, so that those made in the old way are not used any more. */
export const environmentFormat = 1;

const markerName = 'environment.json';

/**
 * Written last, and the only sign that an environment can be used: without it, whatever lies there is half-made. It names the folder
 * that one build filled. Every build fills a new one, so that a tool whose builder was killed can go on writing and spoil nothing.
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

/** Where a build that failed says why: its message in both languages, which a run has no room for. */
export function failurePath(environment: string): string {
  return `${environment}.failure.json`;
}

/** Where it is written for the tool what to install, when the script's folder has no such file. */
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

/** The marker of an environment; null when there is none that can be relied on. */
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
