import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Findings } from './findings.ts';

/** A larger project is no part of a script: of what goes beyond this, changes are not noticed. */
const mostFiles = 2000;
const metadataFiles = ['pyproject.toml', 'setup.py', 'setup.cfg'];
/** What the tools themselves leave there when they build. */
const leftByPython = /^(?:\..*|__pycache__|build|dist|.*\.egg-info)$/;

/** Counts a Python project that is to be installed among what an environment is made from. */
export async function takeProject(
  folder: string,
  findings: Findings,
  { metadataOnly }: { metadataOnly: boolean },
): Promise<void> {
  // One that is used where it lies may change without being installed again, but for what it says of itself.
  if (metadataOnly) for (const name of metadataFiles) await findings.take(join(folder, name));
  else await takeFolder(folder, findings, leftByPython);
}

/** Counts all files of a folder among what an environment is made from, but for those that are `leftOut`. */
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
