import { type RunSpec, runCookie } from '../../execution/messages.ts';
import type { InterpreterSpec } from './warm-interpreter.ts';

/** As long as the id of a run: that is written over it when there is one. */
const cookiePlaceholder = '00000000-0000-0000-0000-000000000000';

/** These change nothing that is settled once an interpreter has started, or change it alike for all that share them. */
const usualVariables = new Set([
  'PYTHONUTF8',
  'PYTHONIOENCODING',
  'PYTHONUNBUFFERED',
  'PYTHONPATH',
  'PYTHONDONTWRITEBYTECODE',
  'PYTHONPYCACHEPREFIX',
  'PYTHONNOUSERSITE',
  'PYTHONUSERBASE',
  'PYTHONWARNINGS',
  'NODE_ENV',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'NODE_NO_WARNINGS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
]);

/** They hold paths, of which those that are not absolute lead somewhere else from another folder. */
const pathVariables = new Set([
  'PYTHONPATH',
  'PYTHONPYCACHEPREFIX',
  'PYTHONUSERBASE',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
]);

/**
 * Which interpreters a run could be given to: those of the same program, started in the same environment to the last variable. Null
 * when it must be started by itself.
 */
export function describeInterpreter(spec: RunSpec): { key: string; interpreter: InterpreterSpec } | null {
  const { warm, file, env, runId } = spec;
  if (!warm || spec.window || spec.isVerbatim || runId.length !== cookiePlaceholder.length) return null;
  // The arguments are the options, the entry and what the script is told; anything else is not for us to take apart.
  if (spec.args[warm.options.length] !== warm.entry) return null;
  const prefix = warm.language === 'python' ? 'PYTHON' : 'NODE_';
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith(prefix) && !usualVariables.has(name)) return null;
    if (pathVariables.has(name) && !isAbsolutePath(value)) return null;
  }
  const interpreter = { ...warm, file, env: { ...env, [runCookie]: cookiePlaceholder } };
  const { language, options, preload } = warm;
  return { key: JSON.stringify([language, file, options, preload, interpreter.env]), interpreter };
}

/** Whether all of its parts are absolute. Nothing at all is no path, while an empty part means the folder that one is in. */
function isAbsolutePath(value: string): boolean {
  return value === '' || value.split(':').every((part) => part.startsWith('/'));
}
