import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { tempFolder } from './hob.ts';
import { linesOf } from './until.ts';

/** The exact arguments and environment of a call. */
export interface Call {
  readonly pid: number;
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly stdin: string;
}

type Behaviour = 'works' | 'fails' | 'hangs';

/** Stands in for a program of another operating system. It records its calls and then behaves as the test says. */
export class FakeProgram {
  /** The only folder on the caller's PATH. */
  readonly folder: string;
  readonly #name: string;
  readonly #calls: string;

  private constructor(folder: string, name: string) {
    this.folder = join(folder, 'bin');
    this.#name = name;
    this.#calls = join(folder, 'calls');
  }

  static async make(name: string): Promise<FakeProgram> {
    const program = new FakeProgram(await tempFolder(), name);
    await mkdir(program.folder);
    return program;
  }

  /** Creates the program. It does not exist before this call. */
  async become(behaviour: Behaviour): Promise<void> {
    const ends = { works: 'process.exit(0)', fails: 'process.exit(3)', hangs: 'setInterval(() => {}, 1000)' };
    const text = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const [cmdline, environ, stdin] = ['/proc/self/cmdline', '/proc/self/environ', 0].map((from) => readFileSync(from).toString('base64'));
appendFileSync(${JSON.stringify(this.#calls)}, JSON.stringify({ pid: process.pid, cmdline, environ, stdin }) + '\\n');
${ends[behaviour]};
`;
    const path = join(this.folder, this.#name);
    await writeFile(path, text);
    await chmod(path, 0o755);
  }

  async calls(): Promise<Call[]> {
    return (await linesOf(this.#calls)).map((line) => {
      const { pid, cmdline, environ, stdin } = JSON.parse(line);
      // The first two arguments are the interpreter and the path of the program.
      const args = fieldsOf(cmdline).slice(2);
      const env = fieldsOf(environ).map((variable): [string, string] => {
        const at = variable.indexOf('=');
        return [variable.slice(0, at), variable.slice(at + 1)];
      });
      return { pid, args, env: new Map(env), stdin: Buffer.from(stdin, 'base64').toString() };
    });
  }
}

function fieldsOf(base64: string): string[] {
  return Buffer.from(base64, 'base64').toString().split('\0').slice(0, -1);
}
