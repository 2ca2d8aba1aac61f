import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Findings } from './findings.ts';

/** Limit of watched files: changes beyond it are not detected. */
const mostFiles = 2000;
const metadataFiles = ['pyproject.toml', 'setup.py', 'setup.cfg'];
/** Build output of the tools. */
const leftByPython = /^(?:\..*|__pycache__|build|dist|.*\.egg-info)$/;

/** Adds a Python project to the inputs of an environment. */
export async function takeProject(
  folder: string,
  findings: Findings,
  { metadataOnly }: { metadataOnly: boolean },
): Promise<void> {
  // An editable project may change without a new installation, except for its metadata.
  if (metadataOnly) for (const name of metadataFiles) await findings.take(join(folder, name));
  else await takeFolder(folder, findings, leftByPython);
}

/** Adds all files of a folder to the inputs of an environment, except those that are `leftOut`. */
export async function takeFolder(folder: string, findings: Findings, leftOut: RegExp): Promise<void> {
  const folders = [folder];
  let files = 0;
  for (let next = folders.pop(); next !== undefined && files < mostFiles; next = folders.pop()) {
    findings.looked.add(next);
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (leftOut.test(entry.name)) continue;
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && files++ < mostFiles) await findings.take(path);
    }
  }
}
