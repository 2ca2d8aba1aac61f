import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Entry files of programs and threads. */
const entries = [
  'cli/main.js',
  'executor/main.js',
  'environments/builder/main.js',
  'models/downloads/hashing/hash-worker.js',
  'runs/outcome/outcome-worker.js',
  'scripts/pinyin-worker.js',
  'storage/checkpoint-worker.js',
  'terminals/page/main.js',
  'terminals/window/drain.js',
  'terminals/window/main.js',
];

/** Commands that scripts call many times. `bin/hob.js` loads them from their own file. */
const scriptCommands = ['envelope', 'input', 'param', 'progress'];

/** Packages that are not bundled: they have native parts, start their own files, or do not work in a bundle. */
const ownPackages = [
  '@lydell/node-pty',
  '@photostructure/sqlite',
  'dbus-native',
  'koffi',
  'pino',
  'pino-pretty',
  'tsx',
];

/**
 * Bundles many small files into few large ones. A service loads 1,300 modules, and finding and reading them takes longer than the rest of its
 * start. `compiled` is the output of the compiler, `dist` the target folder.
 */
export async function bundle({ root, compiled, dist }) {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => join(compiled, entry)),
    outdir: dist,
    outbase: compiled,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ownPackages,
    // CommonJS packages load Node's built-in modules with `require`.
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module';\nconst require = createRequireHere(import.meta.url);",
    },
    plugins: [keepPlaces(compiled)],
    metafile: true,
    logLevel: 'warning',
  });
  await build({
    absWorkingDir: root,
    entryPoints: [join(compiled, 'cli', 'main.js')],
    outfile: join(dist, 'cli', 'script-commands.cjs'),
    bundle: true,
    // One CommonJS file: Node's loader of ES modules takes longer than these commands.
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    define: { 'import.meta.url': 'here' },
    banner: { js: "const here = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [onlyScriptCommands(), keepPlaces(compiled)],
    logLevel: 'warning',
  });
  writeFileSync(join(dist, 'third-party-licenses.txt'), licencesOf(root, Object.keys(metafile.inputs)));
}

/** Leaves out all other commands, which this bundle never loads. */
function onlyScriptCommands() {
  return {
    name: 'only-script-commands',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/commands\// }, ({ path }) => {
        const name = /([^/]+)\.js$/.exec(path)?.[1];
        return scriptCommands.includes(name) ? null : { path, external: true };
      });
    },
  };
}

/** Lets a bundled module that looks for a file beside itself find it at the original place. */
function keepPlaces(compiled) {
  return {
    name: 'keep-places',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (!path.startsWith(compiled + sep)) return null;
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.url')) return null;
        const place = JSON.stringify(relative(compiled, path).split(sep).join('/'));
        const here = `new URL(${place}, import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + 6)).href`;
        return { contents: text.replaceAll('import.meta.url', here), loader: 'js' };
      });
    },
  };
}

/** Writes the licences of all bundled packages, as the licences require. */
function licencesOf(root, inputs) {
  const packages = new Set(
    inputs.map(
      (path) => /^node_modules\/(?:@[^/]+\/)?[^/]+(?:\/node_modules\/(?:@[^/]+\/)?[^/]+)*/.exec(path)?.[0],
    ),
  );
  const texts = [...packages]
    .filter(Boolean)
    .sort()
    .map((path) => {
      const folder = join(root, path);
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
      return `${name} ${version} (${license ?? 'see below'})\n\n${text.trim()}\n`;
    });
  return `Hob contains parts of the following packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
