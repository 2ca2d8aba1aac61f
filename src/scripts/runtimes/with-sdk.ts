import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { ScriptLanguage } from '../languages.ts';
import type { Command } from './command.ts';
import { importsSdk } from './imports-sdk.ts';
import { hasOwnHob } from './own-hob.ts';

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
