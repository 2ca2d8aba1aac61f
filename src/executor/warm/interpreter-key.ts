import { createHash } from 'node:crypto';

import type { WarmLanguage } from '../../contract/values.ts';
import { type Environment, runCookie } from '../../execution/messages.ts';
import { environmentOf, type GivenRun, nothingShared } from '../given-run.ts';
import type { InterpreterSpec } from './warm-interpreter.ts';

/** As long as the id of a run, which overwrites it later. */
const cookiePlaceholder = '00000000-0000-0000-0000-000000000000';

/**
 * Variables that change nothing that an interpreter decides when it starts, or change it in the same way for all runs
 * that share them.
 */
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

/** Variables that contain paths. Relative paths lead to different places from different folders. */
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
 * Identifies the interpreters that can execute a run: those of the same program, started in exactly the same
 * environment. Null if the run needs its own interpreter.
 */
export function describeInterpreter(
  spec: GivenRun,
): { key: string; interpreter: () => InterpreterSpec } | null {
  const { warm, file, env, runId, shared = nothingShared } = spec;
  if (!warm || spec.window || spec.isVerbatim || runId.length !== cookiePlaceholder.length) return null;
  // The arguments are the options, the entry and the arguments of the script. A command of another form is not
  // analysed.
  if (spec.args[warm.options.length] !== warm.entry) return null;
  const { language, options, preload } = warm;
  const known = factsOf(shared);
  const isOwn = (name: string) => Object.hasOwn(env, name);
  if (!known.odd[language].every(isOwn) || oddIn(env, language).length > 0) return null;
  const own = { ...env, [runCookie]: cookiePlaceholder };
  return {
    key: JSON.stringify([language, file, options, preload, known.digest, own]),
    interpreter: () => ({ ...warm, file, env: environmentOf({ shared, env: own }) }),
  };
}

interface SharedFacts {
  readonly digest: string;
  /** Variables that require a separate interpreter, unless the run overrides them. */
  readonly odd: Readonly<Record<WarmLanguage, readonly string[]>>;
}

/** The shared environment is by far the larger part and rarely changes, so it is analysed once. */
const knownFacts = new WeakMap<Environment, SharedFacts>();

function factsOf(shared: Environment): SharedFacts {
  let facts = knownFacts.get(shared);
  if (facts === undefined) {
    facts = {
      digest: createHash('sha256').update(JSON.stringify(shared)).digest('hex'),
      odd: { python: oddIn(shared, 'python'), 'node.js': oddIn(shared, 'node.js') },
    };
    knownFacts.set(shared, facts);
  }
  return facts;
}

function oddIn(env: Environment, language: WarmLanguage): string[] {
  const prefix = language === 'python' ? 'PYTHON' : 'NODE_';
  return Object.keys(env).filter(
    (name) =>
      (name.startsWith(prefix) && !usualVariables.has(name)) ||
      (pathVariables.has(name) && !isAbsolutePath(env[name] ?? '')),
  );
}

/**
 * Whether all parts of the path list are absolute. An empty value is no path, while an empty part means the current
 * folder.
 */
function isAbsolutePath(value: string): boolean {
  return value === '' || value.split(':').every((part) => part.startsWith('/'));
}
