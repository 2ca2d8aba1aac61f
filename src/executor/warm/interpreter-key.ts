import { createHash } from 'node:crypto';

import { type Environment, runCookie, type WarmLanguage } from '../../execution/messages.ts';
import { environmentOf, type GivenRun, nothingShared } from '../given-run.ts';
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
export function describeInterpreter(
  spec: GivenRun,
): { key: string; interpreter: () => InterpreterSpec } | null {
  const { warm, file, env, runId, shared = nothingShared } = spec;
  if (!warm || spec.window || spec.isVerbatim || runId.length !== cookiePlaceholder.length) return null;
  // The arguments are the options, the entry and what the script is told; anything else is not for us to take apart.
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
  /** Variables for which a run must be started by itself, unless it has others of the same name. */
  readonly odd: Readonly<Record<WarmLanguage, readonly string[]>>;
}

/** What runs share is by far the larger part, and stays the same: it is looked at once. */
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

/** Whether all of its parts are absolute. Nothing at all is no path, while an empty part means the folder that one is in. */
function isAbsolutePath(value: string): boolean {
  return value === '' || value.split(':').every((part) => part.startsWith('/'));
}
