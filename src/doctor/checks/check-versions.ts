import { satisfies } from 'semver';

import { readNodeRange, readVersion } from '../../shared/version.ts';
import { type Finding, ok, problem } from '../finding.ts';

/** Whether Hob can work with the Node that runs this. */
export async function checkVersions(): Promise<Finding[]> {
  const [version, range] = [process.versions.node, readNodeRange()];
  const hob = ok('hob', `Hob ${readVersion()}`);
  if (satisfies(version, range)) return [hob, ok('hob', `Node.js ${version} (${process.execPath})`)];
  return [
    hob,
    problem(
      'hob',
      `Node.js ${version} (${process.execPath}) is not what Hob needs (${range})`,
      'Install a newer Node.js: https://nodejs.org/',
    ),
  ];
}
