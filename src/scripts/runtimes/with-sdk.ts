import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { ScriptLanguage } from '../languages.ts';
import type { Command } from './command.ts';
import { hasOwnHob } from './own-hob.ts';

/** `import … from 'hob'`, `import 'hob'` and `import('hob')`, but not `require('hob')`. */
const importOfHob = /\b(?:from|import)\s*\(?\s*(['"])hob\1/;

/** Larger files are bundles that include their modules. */
const mostSearchedBytes = 1024 * 1024;

/** Results by entry and file state, because this is needed before every run. */
const importsByPath = new Map<string, { stamp: string; imports: boolean }>();

/** Above this size, the cache is cleared. */
const mostRemembered = 10_000;

const folder = fileURLToPath(new URL('../../../sdk', import.meta.url));
const pythonFolder = join(folder, 'python');
const nodeFolder = join(folder, 'node');
const shellFolder = join(folder, 'shell');
const registerUrl = pathToFileURL(join(nodeFolder, 'register.mjs')).href;

/** Adds the SDK to the search path of the language, after all folders of the user. */
export function withSdk(command: Command, language: ScriptLanguage, env: Command['env']): Command {
  switch (language) {
    case 'python':
      // These folders precede installed packages, but an installed package must win.
      return hasOwnHob(command.file, env)
        ? command
        : { ...command, lastFolders: { PYTHONPATH: pythonFolder } };
    case 'node.js':
    case 'typescript':
      return withImport({ ...command, lastFolders: { NODE_PATH: nodeFolder } });
    case 'bun':
      return { ...command, lastFolders: { NODE_PATH: nodeFolder } };
    case 'bash':
    case 'sh':
      return {
        ...command,
        env: { ...command.env, HOB_NODE: process.execPath },
        lastFolders: { PATH: shellFolder },
      };
    default:
      return command;
  }
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
