import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { httpPage } from './lib/http-page.mjs';
import { measurementsPage } from './lib/measurements-page.mjs';
import { prepare, root } from './lib/prepare.mjs';

/** Writes all generated files. With --check, fails if one of them is not up to date. */
await prepare();
const checkOnly = process.argv.includes('--check');
const { errorCodes } = await import('../build/shared/errors.js');
const { statusOf } = await import('../build/http/error-answers.js');
const { environmentName, SettingsSchema, settingNames } = await import('../build/settings/schema.js');
const { ManifestSchema } = await import('../build/scripts/manifest-schema.js');
const { resolveReferences } = await import('../build/contract/references.js');
const { languageRecords, languages } = await import('../build/scripts/languages.js');

const openApi = await openApiDocument();
const files = {
  'schema/script.schema.json': asJson(ManifestSchema),
  'schema/openapi.json': asJson(openApi),
  'docs/http.md': httpPage(
    resolveReferences(openApi),
    Object.keys(errorCodes).map((code) => [code, statusOf(code)]),
    Object.fromEntries(
      ['models.md', 'desktop.md', 'interface.md'].map((name) => [
        name,
        readFileSync(join(root, 'docs', name), 'utf8'),
      ]),
    ),
  ),
  'docs/errors.md': errorsPage(),
  'docs/manifest.md': withLanguages(readFileSync(join(root, 'docs', 'manifest.md'), 'utf8')),
  'docs/settings.md': settingsPage(),
  'docs/commands.md': commandsPage('en'),
  'docs/commands.zh-CN.md': commandsPage('zh'),
  'docs/measurements.md': measurementsPage({
    performance: seenIn('docs/performance.json'),
    benchmarks: seenIn('docs/benchmarks.json'),
    reliability: seenIn('docs/reliability.json'),
  }),
};
const stale = Object.entries(files).filter(([path, content]) => {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, 'utf8') !== content;
});
const names = stale.map(([path]) => path).join(', ');
if (checkOnly && stale.length > 0) {
  console.error(`Not up to date: ${names}. Run: npm run generate`);
  process.exit(1);
}
for (const [path, content] of stale) writeFileSync(join(root, path), content);
console.log(
  stale.length === 0 ? `${Object.keys(files).length} generated files are up to date` : `written: ${names}`,
);

/** The page with a table of all languages. */
function withLanguages(page) {
  const code = (texts = []) => texts.map((text) => `\`${text}\``).join(', ');
  const row = (cells) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  const rows = languages.map((name) => {
    const { aliases, extensions, startedWith } = languageRecords[name];
    return row([code([name]), code(aliases), code(extensions), startedWith]);
  });
  const table = [
    row(['`language`', 'Other spellings', 'Extensions', 'Started with']),
    '|---|---|---|---|',
    ...rows,
  ];
  return page.replace(
    /(<!-- languages: [^>]*-->\n).*?(<!-- end of languages -->)/s,
    (_all, begin, end) => `${begin}${table.join('\n')}\n${end}`,
  );
}

function seenIn(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function asJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Requests the document from a real service, so that it is what clients get, except for the port: here it is the default one. */
async function openApiDocument() {
  const home = mkdtempSync(join(tmpdir(), 'hob-generate-'));
  const service = spawn(
    process.execPath,
    [join(root, 'bin', 'hob.js'), 'serve', '--home', home, '--port', '0'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HOB_LOG_LEVEL: 'error' },
    },
  );
  const ended = new Promise((resolve) => service.once('exit', resolve));
  try {
    const line = await new Promise((resolve, reject) => {
      service.stdout.once('data', (chunk) => resolve(String(chunk)));
      service.once('exit', () => reject(new Error('the service did not start')));
    });
    const url = line.trim().split(' ').at(-1);
    const text = await (await fetch(`${url}/api/openapi.json`)).text();
    const port = new RegExp(`(?<!\\d)${new URL(url).port}(?!\\d)`, 'g');
    return JSON.parse(text.replace(port, String(SettingsSchema.properties.port.default)));
  } finally {
    service.kill();
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

function errorsPage() {
  const rows = Object.entries(errorCodes).map(
    ([code, meaning]) => `| \`${code}\` | ${statusOf(code)} | ${meaning} |`,
  );
  return page(
    '# Errors',
    '',
    'Every error response carries its code in the header `X-Hob-Error`. If a retry can succeed, `Retry-After` says after how many seconds.',
    '',
    '| code | status | meaning |',
    '|---|---|---|',
    ...rows,
    '',
    '<!-- Generated from src/shared/errors.ts. Run `npm run generate` after a change. -->',
  );
}

function settingsPage() {
  const rows = settingNames.map((name) => {
    const schema = SettingsSchema.properties[name];
    // The only default that depends on the machine.
    const fallback = name === 'max_runs' ? '8 or more' : `\`${JSON.stringify(schema.default)}\``;
    const range = schema.minimum === undefined ? '' : ` From ${schema.minimum} to ${schema.maximum}.`;
    return `| \`${name}\` | \`${environmentName(name)}\` | ${fallback} | ${schema.description}${range} |`;
  });
  return page(
    '# Settings',
    '',
    'Hob takes each setting from the first of these places that defines it:',
    '',
    '1. a flag of `hob serve` (`hob serve --help` lists them),',
    '2. an environment variable (separate the items of a list by commas),',
    '3. `settings.toml` in the home (relative folders are relative to that file),',
    '4. its default.',
    '',
    'An example of `settings.toml`:',
    '',
    '```toml',
    'port = 9600',
    'scripts = ["/home/ada/scripts"]',
    'max_runs = 16',
    '```',
    '',
    'Hob reads its settings when it starts. After a change, restart it: `hob stop`, then `hob start`. Running scripts continue.',
    'Hob reports all problems with the settings at once, and does not start until they are fixed.',
    '',
    'The page `/settings` of the console and [`GET /api/settings`](http.md#get-apisettings) show the settings in effect,',
    'and where each of them comes from.',
    '',
    'The home is set by the flag `--home` or by `HOB_HOME`. The default is `$XDG_DATA_HOME/hob` (`~/.local/share/hob`) on Linux,',
    '`~/Library/Application Support/hob` on macOS and `%LOCALAPPDATA%\\hob` on Windows.',
    '',
    'Only your user can read the files that Hob writes there, regardless of the umask; scripts keep the umask of their user. If Hob creates',
    'the home, other users have no access to it. Hob does not change the permissions of an existing home, but logs a warning if other users',
    'have access to it. Hob refuses a home that belongs to another user, or that every user can write to.',
    '',
    '| in settings.toml | in the environment | default | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
    '<!-- Generated from src/settings/schema.ts. Run `npm run generate` after a change. -->',
  );
}

/** A separate process renders each page, because the command determines the language once per process. */
function commandsPage(language) {
  const env = { ...process.env, LC_ALL: language === 'zh' ? 'zh_CN.UTF-8' : 'en_US.UTF-8' };
  return String(execFileSync(process.execPath, [join(root, 'tools', 'lib', 'commands-page.mjs')], { env }));
}

function page(...lines) {
  return `${lines.join('\n')}\n`;
}
