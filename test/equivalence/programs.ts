import { chmod, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A small program whose effects are compared. Its name says what it does: "a program that ...". */
export interface Program {
  readonly name: string;
  readonly language: string;
  readonly entry: string;
  /** Environment variables in its manifest. */
  readonly env: Readonly<Record<string, string>>;
  /** Additional lines of the runtime table in its manifest. */
  readonly runtime: string;
  /** Whether a waiting interpreter must take it, must not, or may. */
  readonly expect: 'warm' | 'cold' | 'either';
  /** The expected exit code: a mistake in the program must not count as equal. Null if it depends on the version. */
  readonly exit: number | null;
  /** Why it behaves differently when warm, if that is known and accepted. */
  readonly differs: string | null;
  /** A file that a process left behind by the program creates when it finishes. */
  readonly awaits: string | null;
  readonly files: ReadonlyMap<string, Buffer>;
  /** Symbolic links in its folder, and their targets. */
  readonly links: Readonly<Record<string, string>>;
}

/** The entry in `cases.json` of a program that is more than one file, or does not exit with 0. */
interface Case {
  readonly entry?: string;
  /** Only if the extension of the entry does not identify the language. */
  readonly language?: string;
  readonly env?: Record<string, string>;
  readonly runtime?: string;
  readonly expect?: Program['expect'];
  readonly exit?: number | null;
  readonly differs?: string;
  readonly awaits?: string;
  readonly links?: Record<string, string>;
  /** Binary files: each character is the byte with that number. */
  readonly bytes?: Record<string, string>;
}

/** A program that never ends must fail on its own, without failing the others. */
const mostSeconds = 25;

const casesFile = 'cases.json';
const manifest = 'script.toml';
const extensions: Record<string, string> = {
  '.py': 'python',
  '.pyc': 'python',
  '.js': 'node.js',
  '.cjs': 'node.js',
  '.mjs': 'node.js',
  '.ts': 'typescript',
};

/** The programs in a folder next to this file. Each is a file, a folder, or a case with bytes. */
export async function readPrograms(folderName: string): Promise<Program[]> {
  const folder = fileURLToPath(new URL(folderName, import.meta.url));
  const cases: Record<string, Case> = JSON.parse(await readFile(join(folder, casesFile), 'utf8'));
  const programs = new Map<string, Program>();
  for (const item of await readdir(folder, { withFileTypes: true })) {
    if (item.name === casesFile) continue;
    const name = item.isDirectory() ? item.name : item.name.slice(0, -extname(item.name).length);
    const path = join(folder, item.name);
    const special = cases[name] ?? {};
    const entry = special.entry ?? `main${extname(item.name)}`;
    const files = item.isDirectory() ? await readFiles(path) : new Map([[entry, await readFile(path)]]);
    if (programs.has(name)) throw new Error(`two programs are named ${name}`);
    programs.set(name, programOf(name, special, files));
  }
  for (const [name, special] of Object.entries(cases)) {
    if (programs.has(name)) continue;
    if (special.bytes === undefined)
      throw new Error(`${casesFile} has an entry for ${name}, but there is no such program`);
    programs.set(name, programOf(name, special, new Map()));
  }
  return [...programs.values()];
}

/** A program of one file without special requirements. */
export function plainProgram(name: string, entry: string, text: string): Program {
  return programOf(name, {}, new Map([[entry, Buffer.from(text)]]));
}

/** A program of these files. One of them is its entry. */
export function programOf(name: string, special: Case, read: ReadonlyMap<string, Buffer>): Program {
  const files = new Map(read);
  for (const [file, text] of Object.entries(special.bytes ?? {}))
    files.set(file, Buffer.from(text, 'latin1'));
  const entry = special.entry ?? [...files.keys()].find((file) => /^main\.\w+$/.test(file));
  if (entry === undefined) throw new Error(`no entry file in the program ${name}`);
  const language = special.language ?? extensions[extname(entry)];
  if (language === undefined) throw new Error(`unknown language of the program ${name}`);
  const {
    env = {},
    runtime = '',
    expect = 'warm',
    exit = 0,
    differs = null,
    awaits = null,
    links = {},
  } = special;
  return { name, language, entry, env, runtime, expect, exit, differs, awaits, files, links };
}

async function readFiles(folder: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const name of await readdir(folder, { recursive: true })) {
    const content = await readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EISDIR') return null;
      throw error;
    });
    if (content !== null) files.set(name, content);
  }
  return files;
}

/** Writes the folder of a script with the same bytes and timestamps in every place. */
export async function writeProgram(
  folder: string,
  program: Program,
  { id, isWarm }: { id: string; isWarm: boolean },
): Promise<void> {
  const env = Object.entries(program.env).map(([name, value]) => `${quote(name)} = ${quote(value)}`);
  const lines = [
    '[service.info]',
    `id = ${quote(id)}`,
    `name = ${quote(program.name)}`,
    '[service.runtime]',
    `language = ${quote(program.language)}`,
    `entry = ${quote(program.entry)}`,
    `env = { ${env.join(', ')} }`,
    ...(isWarm ? [] : ['warm = false']),
    program.runtime,
    ...(program.runtime.includes('timeout') ? [] : [`timeout = ${mostSeconds}`]),
  ];
  await writeFiles(folder, {
    ...program,
    files: new Map([...program.files, [manifest, Buffer.from(lines.join('\n'))]]),
  });
}

async function writeFiles(folder: string, { files, links }: Pick<Program, 'files' | 'links'>): Promise<void> {
  for (const [name, content] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await chmod(path, 0o644);
    // Cached bytecode contains the modification time of its module.
    await utimes(path, 1_700_000_000, 1_700_000_000);
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
}

/** A JSON string is also a valid TOML string. */
function quote(text: string): string {
  return JSON.stringify(text);
}
