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

/** Puts what Hob has for authors where the script's language looks for it, behind all that its user has put there. */
export function withSdk(command: Command, language: ScriptLanguage, env: Command['env']): Command {
  switch (language) {
    case 'python':
      // These folders come before what is installed, and what is installed is what the script means.
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

/** Modules do not look where NODE_PATH points to. Only where it is needed: it makes the start of Node longer. */
function withImport(command: Command): Command {
  const entry = command.args.at(-1);
  if (entry === undefined || !importsSdk(entry)) return command;
  const options = [...command.args.slice(0, -1), '--import', registerUrl];
  const { warm } = command;
  return { ...command, args: [...options, entry], ...(warm && { warm: { ...warm, options } }) };
}
