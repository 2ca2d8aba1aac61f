import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

import { cruise } from 'dependency-cruiser';

import { importRules, textRules } from './architecture.mjs';
import { root } from './lib/prepare.mjs';

const folders = ['src', 'web/src'];
const textFolders = ['src', 'bench', 'tools'];

/** Checks the source against the rules in architecture.mjs, and verifies that the check detects a planted violation of every rule. */
const real = await examine(root);
for (const violation of real.violations)
  console.error(`${violation.rule}: ${violation.what}\n  ${violation.why}`);
if (real.modules === 0) console.error('The check found no modules.');
const unnoticed = await plantViolations();
for (const rule of unnoticed) console.error(`${rule}: a planted violation was not detected`);
const failed = real.violations.length > 0 || real.modules === 0 || unnoticed.length > 0;
const rules = importRules.length + textRules.length;
console.log(`architecture: ${real.modules} modules, ${rules} rules, ${real.violations.length} violations`);
process.exit(failed ? 1 : 0);

async function examine(folder) {
  const { output } = await cruise(
    folders,
    {
      baseDir: folder,
      parser: 'tsc',
      validate: true,
      ruleSet: {
        forbidden: importRules.map(({ name, comment, from, to }) => ({
          name,
          comment,
          severity: 'error',
          from,
          to,
        })),
      },
      doNotFollow: { path: 'node_modules' },
      tsPreCompilationDeps: true,
    },
    { extensions: ['.ts', '.tsx', '.js', '.mjs'] },
  );
  const imports = output.summary.violations.map(({ rule, from, to }) => ({
    rule: rule.name,
    file: from,
    what: `${from} imports ${to}`,
    why: importRules.find(({ name }) => name === rule.name)?.comment,
  }));
  return {
    modules: output.modules.filter(({ source }) => folders.some((each) => source.startsWith(`${each}/`)))
      .length,
    violations: [...imports, ...examineText(folder)],
  };
}

function examineText(folder) {
  const entries = textFolders.flatMap((each) =>
    readdirSync(join(folder, each), { withFileTypes: true, recursive: true }),
  );
  const violations = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const file = relative(folder, path).replaceAll('\\', '/');
    const rules = textRules.filter(({ files, allowed }) => files.test(file) && !allowed?.test(file));
    if (rules.length === 0) continue;
    const text = readFileSync(path, 'utf8');
    for (const { name, comment, pattern } of rules)
      if (pattern.test(text)) violations.push({ rule: name, file, what: file, why: comment });
  }
  return violations;
}

/** Plants all violations in one copy; the file of a violation identifies it. */
async function plantViolations() {
  const copy = mkdtempSync(join(tmpdir(), 'hob-architecture-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    cpSync(join(root, 'package.json'), join(copy, 'package.json'));
    for (const each of new Set([...folders, ...textFolders]))
      cpSync(join(root, each), join(copy, each), { recursive: true });
    const textPlants = textRules.map(({ name, plant: { file, text } }) => ({
      rule: name,
      texts: [[file, text]],
    }));
    const plants = [...importRules.map(importPlant), ...textPlants];
    for (const [file, text] of plants.flatMap(({ texts }) => texts)) append(copy, file, text);
    const { violations } = await examine(copy);
    const isNoticed = ({ rule, texts }) =>
      texts.some(([file]) => violations.some((seen) => seen.rule === rule && seen.file === file));
    return plants.filter((plant) => !isNoticed(plant)).map(({ rule }) => rule);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function importPlant({ name, plant }, index) {
  const imports = [[plant.file, plant.imports], ...(plant.and ? [plant.and] : [])];
  const text = (from) =>
    `import * as planted${index} from '${from}';\nexport const used${index} = planted${index};\n`;
  return { rule: name, texts: imports.map(([file, from]) => [file, text(from)]) };
}

function append(folder, file, text) {
  const path = join(folder, file);
  // A rule may exist before its folder.
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: 'a' });
}
