import { createHash } from 'node:crypto';
import { type BigIntStats, lstatSync, statSync } from 'node:fs';

import { installAdvice, interpreterSpec } from '../scripts/languages.ts';
import type { Interpreter, InterpreterFinder, Search } from '../scripts/runtimes/resolve-command.ts';
import type { Problem, Script } from '../scripts/script.ts';
import type { Text } from '../shared/text.ts';
import { environmentFormat } from './builder/layout.ts';
import { bothVersions } from './recipe/python-recipe.ts';
import { type Examination, examineRecipe } from './recipe/read-recipe.ts';
import type { Recipe } from './recipe/recipe.ts';

interface Memory<Value> {
  readonly value: Value;
  readonly looked: readonly string[];
  readonly signatures: readonly string[];
}

/** A file that changed shortly before the read may change again unnoticed, because file system clocks are coarse. */
const unsureMs = 2000;

/** Caches a result that depends on files until one of them changes. */
export class Remembered<Value> {
  readonly #memories = new Map<string, Memory<Value>>();

  async get(
    name: string,
    findOut: () => Promise<{ value: Value; looked: readonly string[] }>,
  ): Promise<Value> {
    const known = this.#memories.get(name);
    if (known !== undefined) {
      const now = known.looked.map(signatureOf);
      if (now.every(({ text }, index) => text === known.signatures[index])) return known.value;
    }
    this.#memories.delete(name);
    const askedAt = Date.now();
    const { value, looked } = await findOut();
    // Check after the read: a change in between is too recent to be trusted.
    const signatures = looked.map(signatureOf);
    if (signatures.every(({ changedMs }) => changedMs < askedAt - unsureMs)) {
      this.#memories.set(name, { value, looked, signatures: signatures.map(({ text }) => text) });
    }
    return value;
  }

  /** Removes all other entries. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#memories.keys()) if (!names.has(name)) this.#memories.delete(name);
  }
}

interface Signature {
  readonly text: string;
  readonly changedMs: number;
}

const absent = { text: '', changedMs: 0, isLink: false };

/** Requirements of a script before it can run. */
export type Plan =
  | { readonly kind: 'none' }
  | { readonly kind: 'unavailable'; readonly message: Text }
  | {
      readonly kind: 'environment';
      readonly key: string;
      readonly recipe: Recipe;
      readonly interpreter: Interpreter;
    };

interface PlannerOptions {
  readonly finder: InterpreterFinder;
  readonly platform: NodeJS.Platform;
}

const nothing: Plan = { kind: 'none' };

/** Plans the environments of scripts. Called before every run, so unchanged files are not read again. */
export class Planner {
  readonly #options: PlannerOptions;
  readonly #examinations = new Remembered<Examination>();
  readonly #abis = new Map<string, Promise<string>>();

  constructor(options: PlannerOptions) {
    this.#options = options;
  }

  async planFor(script: Script): Promise<Plan> {
    const { language } = script.runtime;
    if (language !== 'python' && language !== 'node.js' && language !== 'typescript') return nothing;
    const { recipe, problems } = await this.#examinations.get(nameOf(script), async () => {
      const value = await examineRecipe(script);
      return { value, looked: value.looked };
    });
    const error = problems.find(({ severity }) => severity === 'error');
    if (error !== undefined) return { kind: 'unavailable', message: describeProblem(error) };
    if (recipe === null) return nothing;
    const { languageVersion } = script.runtime;
    const isPython = recipe.kind === 'python';
    const needed = isPython ? bothVersions(languageVersion, recipe.requiresPython) : languageVersion;
    const search = await this.#options.finder.find(isPython ? 'python' : 'node.js', needed);
    if (search.kind === 'none') return missing(isPython ? 'python' : 'node.js', needed, search);
    const { interpreter } = search;
    const { path, version } = interpreter;
    const parts = isPython
      ? [path, version, recipe.lines, recipe.isBoundToFolder ? script.folder : null]
      : // Packages work with every binary compatible version of Node.js, independent of its path.
        [version.split('.')[0], await this.#abiOf(interpreter), recipe.packageJson];
    return { kind: 'environment', key: this.#keyOf(recipe, parts), recipe, interpreter };
  }

  /** Removes the cached plans of all other scripts. */
  keepOnly(scripts: readonly Script[]): void {
    this.#examinations.keepOnly(new Set(scripts.map(nameOf)));
  }

  #keyOf({ kind, inputs }: Recipe, parts: readonly unknown[]): string {
    const made = inputs.map(({ name, fingerprint }) => [name, fingerprint]);
    const whole = [kind, environmentFormat, this.#options.platform, process.arch, parts, made];
    return createHash('sha256').update(JSON.stringify(whole)).digest('hex').slice(0, 32);
  }

  #abiOf({ path, version }: Interpreter): Promise<string> {
    const name = `${path}\0${version}`;
    const known = this.#abis.get(name);
    if (known !== undefined) return known;
    const asked = this.#options.finder
      .ask(path, ['-p', 'process.versions.modules'])
      .then(({ stdout }) => stdout.trim());
    this.#abis.set(name, asked);
    return asked;
  }
}

function nameOf({ folder, runtime }: Script): string {
  return [folder, runtime.language, runtime.entry].join('\0');
}

function describeProblem({ file, line, message, advice }: Problem): Text {
  return {
    en: `${file}${line === null ? '' : `, line ${line}`}: ${message.en}. ${advice.en}`,
    zh: `${file}${line === null ? '' : ` 第 ${line} 行`}：${message.zh}。${advice.zh}`,
  };
}

function missing(
  language: 'python' | 'node.js',
  requirement: string | null,
  { seen }: Search & { kind: 'none' },
): Plan {
  const install = installAdvice(language);
  const name = interpreterSpec(language).title;
  const wanted = requirement === null ? name : `${name} ${requirement}`;
  const there = seen.map(({ path, version }) => `${version} (${path})`).join(', ');
  const message =
    seen.length === 0
      ? {
          en: `The packages of the script need ${wanted}, which is not installed or not on PATH. ${install.en}`,
          zh: `脚本的依赖需要 ${wanted}，但 PATH 中没有找到。${install.zh}`,
        }
      : {
          en: `The packages of the script need ${wanted}, but only ${there} is installed. ${install.en}`,
          zh: `脚本的依赖需要 ${wanted}，但只找到 ${there}。${install.zh}`,
        };
  return { kind: 'unavailable', message };
}

/** Synchronous, because it runs before every run and the thread pool would take longer. */
function signatureOf(path: string): Signature {
  const itself = tryDescribe(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  if (!itself.isLink) return itself;
  // The target of a link may change while the link does not.
  const target = tryDescribe(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return { text: `${itself.text}>${target.text}`, changedMs: Math.max(itself.changedMs, target.changedMs) };
}

function tryDescribe(look: () => BigIntStats | undefined): Signature & { isLink: boolean } {
  let found: BigIntStats | undefined;
  try {
    found = look();
  } catch {
    // Not accessible: its state is unknown.
  }
  if (found === undefined) return absent;
  return {
    text: `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`,
    changedMs: Number(found.ctimeNs / 1_000_000n),
    isLink: found.isSymbolicLink(),
  };
}
