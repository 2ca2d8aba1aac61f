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

/** Checks the rules in architecture.mjs against the source, and the check itself against a violation of every rule. */
const real = await examine(root);
for (const violation of real.violations)
  console.error(`${violation.rule}: ${violation.what}\n  ${violation.why}`);
if (real.modules === 0) console.error('The check saw no module at all.');
const unnoticed = await plantViolations();
for (const rule of unnoticed) console.error(`${rule}: a planted violation was not noticed`);
const failed = real.violations.length > 0 || real.modules === 0 || unnoticed.length > 0;
const rules = importRules.length + textRules.length;
console.log(`architecture: ${real.modules} modules, ${rules} rules, ${real.violations.length} violations`);
process.exit(failed ? 1 : 0);

async function examine(folder) {
  const { output } = await cruise(
    ['src'],
    {
      baseDir: folder,
      parser: 'swc',
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
    { extensions: ['.ts', '.js', '.mjs'] },
  );
  const imports = output.summary.violations.map(({ rule, from, to }) => ({
    rule: rule.name,
    what: `${from} imports ${to}`,
    why: importRules.find(({ name }) => name === rule.name)?.comment,
  }));
  return {
    modules: output.modules.filter(({ source }) => source.startsWith('src/')).length,
    violations: [...imports, ...examineText(folder)],
  };
}

function examineText(folder) {
  const violations = [];
  for (const entry of readdirSync(join(folder, 'src'), { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts')) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const file = relative(folder, path).replaceAll('\\', '/');
    const text = readFileSync(path, 'utf8');
    for (const { name, comment, pattern, allowed } of textRules) {
      if (pattern.test(text) && !allowed.test(file))
        violations.push({ rule: name, what: file, why: comment });
    }
  }
  return violations;
}

async function plantViolations() {
  const copy = mkdtempSync(join(tmpdir(), 'hob-architecture-'));
  const unnoticed = [];
  try {
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    cpSync(join(root, 'package.json'), join(copy, 'package.json'));
    for (const { name, plant } of importRules) {
      await withCopy(copy, () => {
        append(
          copy,
          plant.file,
          `import * as planted from '${plant.imports}';\nexport const used = planted;\n`,
        );
        if (plant.and)
          append(
            copy,
            plant.and[0],
            `import * as planted from '${plant.and[1]}';\nexport const used = planted;\n`,
          );
      });
      const { violations } = await examine(copy);
      if (!violations.some(({ rule }) => rule === name)) unnoticed.push(name);
    }
    for (const { name, pattern } of textRules) {
      const [, word] = /process\\\.(\w+)/.exec(pattern.source) ?? [];
      await withCopy(copy, () =>
        append(copy, 'src/http/planted.ts', `export const planted = process.${word};\n`),
      );
      if (!examineText(copy).some(({ rule }) => rule === name)) unnoticed.push(name);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return unnoticed;
}

async function withCopy(copy, change) {
  rmSync(join(copy, 'src'), { recursive: true, force: true });
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true });
  change();
}

function append(folder, file, text) {
  const path = join(folder, file);
  // A rule may be there before its room.
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: 'a' });
}
