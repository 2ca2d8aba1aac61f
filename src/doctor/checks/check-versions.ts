import { satisfies } from 'semver';

import { fixedText } from '../../shared/text.ts';
import { readNodeRange, readVersion } from '../../shared/version.ts';
import { type Finding, ok, problem } from '../finding.ts';

/** Checks that Hob supports the Node.js that runs this command. */
export async function checkVersions(): Promise<Finding[]> {
  const [version, range] = [process.versions.node, readNodeRange()];
  const hob = ok('hob', fixedText(`Hob ${readVersion()}`));
  const node = {
    en: `Node.js ${version} (${process.execPath})`,
    zh: `Node.js ${version}（${process.execPath}）`,
  };
  if (satisfies(version, range)) return [hob, ok('hob', node)];
  return [
    hob,
    problem(
      'hob',
      {
        en: `${node.en} is not supported: Hob needs ${range}`,
        zh: `${node.zh}不符合 Hob 的要求（${range}）`,
      },
      {
        en: 'Install a supported Node.js: https://nodejs.org/',
        zh: '请安装较新的 Node.js：https://nodejs.org/',
      },
    ),
  ];
}
