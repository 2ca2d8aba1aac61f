import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Programs that Hob might start by name when it inspects the machine or a script. */
const programs = [
  ...[
    'python',
    'python3',
    'python3.12',
    'node',
    'nodejs',
    'bash',
    'sh',
    'perl',
    'ruby',
    'php',
    'deno',
    'bun',
  ],
  ...['pwsh', 'uv', 'pip', 'npm', 'git', 'tsx', 'tsc', 'env', 'needed-program', 'xdg-open', 'xterm'],
];

/** Modules that Python imports at startup, or for a version query. */
const modules = ['sitecustomize', 'usercustomize', 'site', 'sys', 'os', 'glob', 'venv', 'pip', 'encodings'];

/** Programs and modules that append their path to a file when they are executed. */
export class Planted {
  readonly #mark: string;

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** The files that were executed. */
  async marks(): Promise<string[]> {
    const text = await readFile(this.#mark, 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }

  /** Creates a program that prints a plausible version. */
  async program(path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `#!/bin/sh\necho "$0" >> '${this.#mark}'\necho 3.11.2\n`, { mode: 0o755 });
  }

  /** Creates Python modules in a folder. */
  async pythonModules(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (const name of modules)
      await writeFile(
        join(folder, `${name}.py`),
        `open(${JSON.stringify(this.#mark)}, "a").write(__file__ + "\\n")\n`,
      );
    await writeFile(join(folder, 'planted.pth'), 'import sitecustomize\n');
  }

  /** Puts all of them into the folder of a script, with configuration files that refer to them. */
  async script(folder: string): Promise<void> {
    const at = (...names: string[]) => join(folder, ...names);
    for (const name of programs)
      for (const place of ['.', 'bin', '.venv/bin', 'node_modules/.bin']) await this.program(at(place, name));
    await this.pythonModules(folder);
    await this.pythonModules(at('.venv/lib/python3.11/site-packages'));
    const files: Record<string, string> = {
      'main.py': 'import sitecustomize\n',
      'planted.cjs': `require('fs').appendFileSync('${this.#mark}', __filename + '\\n');\n`,
      'planted.sh': `echo planted.sh >> '${this.#mark}'\n`,
      'Planted.pm': `open(F, ">>", '${this.#mark}'); print F "Planted.pm\\n"; close(F); 1;\n`,
      'planted.rb': `File.write('${this.#mark}', "planted.rb\\n", mode: 'a')\n`,
      'planted.php': `<?php file_put_contents('${this.#mark}', "planted.php\\n", FILE_APPEND);\n`,
      'php.ini': `auto_prepend_file = ${at('planted.php')}\n`,
      '.venv/pyvenv.cfg': `home = ${at('bin')}\nversion = 3.11.2\n`,
      '.npmrc': `node-options=--require ${at('planted.cjs')}\nscript-shell=${at('bash')}\ngit=${at('git')}\n`,
      'package.json': '{"scripts":{"preinstall":"./bash","prepare":"./bash"},"packageManager":"npm@1.0.0"}',
      'tsconfig.json': '{"compilerOptions":{"plugins":[{"transform":"./planted.cjs"}]}}',
      'bunfig.toml': 'preload = ["./planted.cjs"]\n',
      '.env': `NODE_OPTIONS=--require ${at('planted.cjs')}\nBASH_ENV=${at('planted.sh')}\n`,
      '.python-version': '../../planted\n',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(at(name), text);
  }
}

/** Environment variables that make interpreters and tools load the planted files of a folder. */
export function variablesNaming(folder: string): Record<string, string> {
  const at = (name: string) => join(folder, name);
  return {
    PYTHONPATH: folder,
    PYTHONUSERBASE: folder,
    PYTHONSTARTUP: at('sitecustomize.py'),
    NODE_PATH: folder,
    NPM_CONFIG_USERCONFIG: at('.npmrc'),
    BASH_ENV: at('planted.sh'),
    ENV: at('planted.sh'),
    PERL5LIB: folder,
    PERL5OPT: '-MPlanted',
    RUBYLIB: folder,
    RUBYOPT: '-rplanted',
    PHPRC: folder,
    GIT_EXEC_PATH: folder,
    LD_LIBRARY_PATH: folder,
  };
}
