import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every valid response contains this text. */
export const expectedText = 'forty-two';

/** The variables that Hob sets for Python scripts, so that webhook runs the same program with the same settings. */
export const pythonEnv = { PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8', PYTHONUNBUFFERED: '1' };

const pythonEnd = `
with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)
print("${expectedText}")
with open(given["environment"]["output_json"], "w", encoding="utf-8") as file:
    json.dump({"code": 0, "msg": "ok"}, file)
`;

/** Writes no result: webhook would overwrite the same file each time, which takes three times as long as all the rest. */
export const smallProgram = {
  title: 'sh',
  language: 'sh',
  entry: 'main.sh',
  text: `echo ${expectedText}\n`,
};

const nodeText = `
const { readFileSync, writeFileSync } = require('node:fs');
const given = JSON.parse(readFileSync(process.argv[2], 'utf8'));
console.log('${expectedText}');
writeFileSync(given.environment.output_json, JSON.stringify({ code: 0, msg: 'ok' }));
`;

/** The distribution's own Python, which its packages of modules belong to. */
export const systemPython = '/usr/bin/python3';
/** Modules that scripts with models and tables use, and the memory that the warm interpreters of the row may take together. */
const heavyRows = {
  'numpy-pandas': { preload: ['numpy', 'pandas'], warmMemoryMb: 256 },
  pillow: { preload: ['PIL.Image'], warmMemoryMb: 256 },
  scipy: { preload: ['scipy.optimize', 'scipy.stats'], warmMemoryMb: 256 },
  torch: { preload: ['torch'], warmMemoryMb: 1024 },
};

/** Functions that make the script longer, as in most real scripts. A run calls none of them. */
const functionCount = 60;
const pythonFunctions = Array.from(
  { length: functionCount },
  (_, number) => `

def step_${number}(items, limit=None, *rest, **named):
    """Counts what is left of them."""
    chosen = [item * 2 for item in items if item % 3 and item != limit]
    try:
        return {"chosen": len(chosen), "rest": rest, "named": sorted(named)}
    except ValueError as error:
        raise RuntimeError(f"step ${number} failed: {error}") from error
`,
).join('');

/**
 * The scripts that both services run, each the smallest of its kind: it reads its parameters, prints a line and writes its result.
 * `preload` is declared in the manifest; webhook has no equivalent. A program with an `interpreter` is started with that file.
 */
export function programsFor() {
  return {
    sh: smallProgram,
    python: {
      title: 'Python: json, argparse',
      language: 'python',
      entry: 'main.py',
      text: `import argparse, json, sys\n${pythonEnd}`,
    },
    'python-heavy': {
      title: 'Python: urllib.request, email, sqlite3',
      language: 'python',
      entry: 'main.py',
      text: `import email, json, sqlite3, sys, urllib.request\n${pythonEnd}`,
    },
    'python-long': {
      title: `Python: ${functionCount} functions, over 500 lines`,
      language: 'python',
      entry: 'main.py',
      text: `import argparse, json, sys\n${pythonFunctions}${pythonEnd}`,
    },
    ...Object.fromEntries(Object.entries(heavyRows).map(([name, row]) => [name, heavyProgram(row)])),
    node: { title: 'Node (CommonJS)', language: 'node.js', entry: 'main.cjs', text: nodeText },
  };
}

function heavyProgram({ preload, warmMemoryMb }) {
  return {
    title: `Python: ${preload.join(', ')} (declared as \`preload\`, \`warm_memory_mb = ${warmMemoryMb}\`)`,
    language: 'python',
    interpreter: systemPython,
    entry: 'main.py',
    text: `import json, sys\n${preload.map((name) => `import ${name}\n`).join('')}${pythonEnd}`,
    preload,
    settings: `warm_memory_mb = ${warmMemoryMb}\n`,
  };
}

/** The modules of a program that its interpreter does not have. */
export function missingModules({ interpreter, preload = [] }) {
  if (interpreter === undefined) return [];
  return preload.filter((name) => spawnSync(interpreter, ['-c', `import ${name}`]).status !== 0);
}

/** Writes a script with its manifest, and returns its folder. */
export function writeScript(
  scripts,
  { id, name, language, entry, text, preload, runtime = [], isNode = false },
) {
  const folder = join(scripts, name);
  mkdirSync(folder, { recursive: true });
  const manifest = [
    '[service.info]',
    `id = "${id}"`,
    `name = "${name}"`,
    '',
    '[service.runtime]',
    `language = "${language}"`,
    `entry = "${entry}"`,
    'terminal = "never"',
    ...runtime,
    ...(preload === undefined ? [] : [`preload = ${JSON.stringify(preload)}`]),
    ...(isNode ? ['', '[service.node]', 'enabled = true'] : []),
  ];
  writeFileSync(join(folder, 'script.toml'), `${manifest.join('\n')}\n`);
  writeFileSync(join(folder, entry), text);
  return folder;
}
