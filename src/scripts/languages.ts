/** Supported languages, by their canonical names. */
export const languages = [
  'python',
  'node.js',
  'typescript',
  'bash',
  'sh',
  'powershell',
  'bat',
  'exe',
  'html',
  'autohotkey',
  'ruby',
  'perl',
  'php',
  'deno',
  'bun',
] as const;

export type ScriptLanguage = (typeof languages)[number];

/** Other spellings in existing manifests. */
const aliases: Record<string, ScriptLanguage> = {
  python3: 'python',
  py: 'python',
  node: 'node.js',
  nodejs: 'node.js',
  javascript: 'node.js',
  js: 'node.js',
  ts: 'typescript',
  shell: 'sh',
  pwsh: 'powershell',
  ps1: 'powershell',
  batch: 'bat',
  cmd: 'bat',
  executable: 'exe',
  binary: 'exe',
  ahk: 'autohotkey',
};

const byExtension: Record<string, ScriptLanguage> = {
  '.py': 'python',
  '.pyw': 'python',
  '.js': 'node.js',
  '.mjs': 'node.js',
  '.cjs': 'node.js',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.sh': 'bash',
  '.bash': 'bash',
  '.ps1': 'powershell',
  '.bat': 'bat',
  '.cmd': 'bat',
  '.exe': 'exe',
  '.html': 'html',
  '.htm': 'html',
  '.ahk': 'autohotkey',
  '.rb': 'ruby',
  '.pl': 'perl',
  '.php': 'php',
};

export function languageFromName(name: string): ScriptLanguage | undefined {
  const lower = name.trim().toLowerCase();
  return (
    languages.find((language) => language === lower) ??
    (Object.hasOwn(aliases, lower) ? aliases[lower] : undefined)
  );
}

export function languageFromExtension(extension: string): ScriptLanguage | undefined {
  const lower = extension.toLowerCase();
  return Object.hasOwn(byExtension, lower) ? byExtension[lower] : undefined;
}
