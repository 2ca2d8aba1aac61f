import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Command } from '../runtimes/command.ts';
import { jsonText, type Language, type Sample, sdkFolder } from './language.ts';

/** `import … from 'hob'`, `import 'hob'` and `import('hob')`, also of `hob/client`, but not `require('hob')`. */
const importOfHob = /\b(?:from|import)\s*\(?\s*(['"])hob(?:\/client)?\1/;

/** Larger files are bundles that include their modules. */
const mostSearchedBytes = 1024 * 1024;

/** Results by entry and file state, because this is needed before every run. */
const importsByPath = new Map<string, { stamp: string; imports: boolean }>();
/** Above this size, the cache is cleared. */
const mostRemembered = 10_000;

const lastFolders = { NODE_PATH: sdkFolder('node') };
const registerUrl = pathToFileURL(join(sdkFolder('node'), 'register.mjs')).href;

export const node = {
  startedWith: '`node`, `nodejs`, `node22` and the like, else the Node that runs Hob',
  aliases: ['node', 'nodejs', 'javascript', 'js'],
  extensions: ['.js', '.mjs', '.cjs'],
  interpreter: {
    title: 'Node.js',
    names: ['node', 'nodejs'],
    versionedName: /^node-?v?(\d+)$/,
    probe: ['-p', 'process.versions.node + "\\n" + process.execPath'],
    source: 'https://nodejs.org/',
  },
  warm: 'node.js',
  addSdk: (command) => withImport(addNodePath(command)),
  entryText: 'utf8',
  template: {
    word: 'node',
    meaning: { en: 'JavaScript, Node 18+', zh: 'JavaScript, Node 18+' },
    versions: '>=18',
    entry: 'main.mjs',
    write: (sample) => writeEntry(sample, 'total'),
    editorFile: { path: 'jsconfig.json', write: () => editorSettings({ checkJs: true }) },
  },
} satisfies Language;

/** Settings for TypeScript and for editors. No compiler uses them for a run. */
export function editorSettings(options: Readonly<Record<string, boolean>>): string {
  // Folders, because tsx uses these settings, too: it must not load a declaration file.
  const hob = join(sdkFolder('node'), 'hob');
  const paths = { hob: [hob], 'hob/client': [join(hob, 'client')] };
  // The types of Node.js that Hob installs, so that completion needs no `npm install` in the folder of the script.
  const nodeTypes = dirname(createRequire(import.meta.url).resolve('@types/node/package.json'));
  return jsonText({
    compilerOptions: {
      ...options,
      target: 'es2022',
      module: 'preserve',
      noEmit: true,
      types: ['node'],
      typeRoots: [dirname(nodeTypes)],
      paths,
    },
  });
}

export function addNodePath(command: Command): Command {
  return { ...command, lastFolders };
}

/** ES modules ignore NODE_PATH. Used only if needed, because it slows down the start of Node.js. */
function withImport(command: Command): Command {
  const entry = command.args.at(-1);
  if (entry === undefined || !importsSdk(entry)) return command;
  const options = [...command.args.slice(0, -1), '--import', registerUrl];
  const { warm } = command;
  return { ...command, args: [...options, entry], ...(warm && { warm: { ...warm, options } }) };
}

/** Whether a JavaScript or TypeScript file imports the module `hob`. */
function importsSdk(path: string): boolean {
  try {
    const { mtimeMs, size } = statSync(path);
    const stamp = `${mtimeMs} ${size}`;
    const before = importsByPath.get(path);
    if (before?.stamp === stamp) return before.imports;
    const imports = size <= mostSearchedBytes && importOfHob.test(readFileSync(path, 'utf8'));
    if (importsByPath.size >= mostRemembered) importsByPath.clear();
    importsByPath.set(path, { stamp, imports });
    return imports;
  } catch {
    // The interpreter reports problems of the file.
    return false;
  }
}

const measures = {
  files: ['(await stat(item)).size', "import { stat } from 'node:fs/promises';\n\n"],
  folders: ['(await readdir(item)).length', "import { readdir } from 'node:fs/promises';\n\n"],
  text: ['[...item].length', ''],
} as const;

/** The entry for Node and TypeScript, which differ only in the annotation of the total. */
export function writeEntry({ input, tr, summary }: Sample, total: 'total' | 'total: number'): string {
  const about = tr(
    'The return value is the result: msg for people, the rest for programs. Printed text goes to the log of the run.',
    '返回值就是结果：msg 给人看，其余给程序用。打印的内容在运行日志里。',
  );
  if (input === 'none')
    return `import hob from 'hob';

// ${about}
hob.main(async ({ params, run }) => {
  for (let time = 1; time <= params.times; time++) {
    console.log(params.greeting);
    run.progress(time / params.times, params.greeting);
  }
  return { msg: params.greeting, times: params.times };
});
`;
  const [measure, imports] = measures[input];
  const message = summary(`\${total}`, `\${inputs.length}`);
  return `${imports}import hob from 'hob';

// ${about}
hob.main(async ({ inputs, params, run }) => {
  for (let time = 1; time <= params.times; time++) console.log(params.greeting);
  let ${total} = 0;
  for (const [done, item] of inputs.entries()) {
    total += ${measure};
    run.progress((done + 1) / inputs.length, item);
  }
  return { msg: \`${message}\`, total };
});
`;
}
