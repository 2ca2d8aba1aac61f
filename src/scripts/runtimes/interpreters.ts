import type { ScriptLanguage } from '../languages.ts';

/** How to find the interpreter of a language. */
export interface InterpreterSpec {
  /** Names on PATH, in order of preference. */
  readonly names: readonly string[];
  /** Additional names with a version, newest first, such as python3.12. */
  readonly versionedName?: RegExp;
  /**
   * Arguments that print the version and, on a second line, the real path: the program on PATH may be a shim of a version manager,
   * which costs a hundred milliseconds at every start.
   */
  readonly probe: readonly string[];
  /** Arguments before those of the probe that prevent loading of installed code. */
  readonly isolation?: readonly string[];
  readonly install: { readonly en: string; readonly zh: string };
}

const install = (name: string, where: string) => ({
  en: `Install ${name}: ${where}`,
  zh: `请安装 ${name}：${where}`,
});

export const interpreterSpecs = {
  python: {
    names: process.platform === 'win32' ? ['python', 'python3', 'py'] : ['python3', 'python'],
    versionedName: /^python3\.(\d+)$/,
    probe: ['-c', 'import sys; print("%d.%d.%d" % sys.version_info[:3]); print(sys.executable)'],
    // These options also exist in Python 2, unlike -I.
    isolation: ['-E', '-s', '-S'],
    install: install('Python', 'https://www.python.org/downloads/ (Debian, Ubuntu: apt install python3)'),
  },
  'node.js': {
    names: ['node', 'nodejs'],
    versionedName: /^node-?v?(\d+)$/,
    probe: ['-p', 'process.versions.node + "\\n" + process.execPath'],
    install: install('Node.js', 'https://nodejs.org/'),
  },
  bash: {
    names: ['bash'],
    probe: ['-c', 'echo "$BASH_VERSION"; echo'],
    install: install('bash', 'https://www.gnu.org/software/bash/ (Windows: included in Git for Windows)'),
  },
  sh: {
    names: ['sh'],
    probe: ['-c', 'echo 1.0.0; echo'],
    install: install('sh', 'Windows: included in Git for Windows'),
  },
  powershell: {
    names: ['pwsh', 'powershell.exe'],
    probe: [
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      '"$($PSVersionTable.PSVersion)"; (Get-Process -Id $PID).Path',
    ],
    install: install(
      'PowerShell',
      'https://learn.microsoft.com/powershell/scripting/install/installing-powershell',
    ),
  },
  ruby: {
    names: ['ruby'],
    versionedName: /^ruby(\d+\.\d+)$/,
    probe: ['-rrbconfig', '-e', 'puts RUBY_VERSION, RbConfig.ruby'],
    install: install('Ruby', 'https://www.ruby-lang.org/ (Debian, Ubuntu: apt install ruby)'),
  },
  perl: {
    names: ['perl'],
    probe: ['-e', 'printf "%vd\\n%s\\n", $^V, $^X'],
    install: install('Perl', 'https://www.perl.org/get.html'),
  },
  php: {
    names: ['php'],
    versionedName: /^php(\d+\.\d+)$/,
    probe: ['-r', 'echo PHP_VERSION, "\\n", PHP_BINARY, "\\n";'],
    install: install('PHP', 'https://www.php.net/downloads (Debian, Ubuntu: apt install php-cli)'),
  },
  deno: {
    names: ['deno'],
    probe: ['eval', 'console.log(Deno.version.deno); console.log(Deno.execPath())'],
    install: install('Deno', 'https://deno.com/'),
  },
  bun: {
    names: ['bun'],
    probe: ['-e', 'console.log(Bun.version); console.log(process.execPath)'],
    install: install('Bun', 'https://bun.sh/'),
  },
  autohotkey: {
    names: ['AutoHotkey64.exe', 'AutoHotkey.exe', 'AutoHotkeyU64.exe'],
    probe: [],
    install: install('AutoHotkey', 'https://www.autohotkey.com/'),
  },
} as const satisfies Partial<Record<ScriptLanguage, InterpreterSpec>>;

export type InterpretedLanguage = keyof typeof interpreterSpecs;
