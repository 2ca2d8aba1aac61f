import { fileURLToPath } from 'node:url';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwindcss(), iconsWithoutKeys(), partsWithoutNames()],
  build: {
    target: 'es2022',
    assetsDir: 'assets',
    // The content security policy forbids data: URLs, so assets must not be inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The licenses of the bundled packages, which they require to be included.
    license: { fileName: 'third-party-licenses.md' },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Two files for what pages share, in place of many small ones, which compress badly: one loads with the first page, the other with
        // the next page that needs it. Three small pages share a file for the same reason.
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: 'shared', minShareCount: 2, priority: 1 },
            { name: 'small-pages', test: /src[\\/](?:health|models|notifications)[\\/]/, priority: 0 },
          ],
        },
      },
    },
  },
});

/** Removes the keys of the lines in each icon. They prevent a warning of React that only development builds have. */
function iconsWithoutKeys(): Plugin {
  return {
    name: 'icons-without-keys',
    apply: 'build',
    transform: {
      filter: { id: /lucide-react.*[\\/]icons[\\/]/ },
      handler: (code) => code.replace(/,?\s*key: "[a-z0-9]+"/g, ''),
    },
  };
}

/** Removes the calls that give each function of Radix its name. Only debuggers need the names. */
function partsWithoutNames(): Plugin {
  return {
    name: 'parts-without-names',
    apply: 'build',
    transform: {
      filter: { id: /@radix-ui[\\/].*\.mjs$/ },
      handler(code) {
        const removed = aroundNamed(this.parse(code)).toSorted(([one], [other]) => other - one);
        return removed.reduce((rest, [start, end]) => rest.slice(0, start) + rest.slice(end), code);
      },
    },
  };
}

/** The text around the function in each call of `__name`, as positions in the code. */
function aroundNamed(node: unknown): [start: number, end: number][] {
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.values(node).flatMap(aroundNamed);
  const { type, callee, arguments: given, start, end }: Partial<CallNode> = node;
  const [named] = given ?? [];
  if (type !== 'CallExpression' || callee?.name !== '__name' || named === undefined) return inside;
  return [...inside, [start ?? 0, named.start], [named.end, end ?? 0]];
}

interface CallNode {
  readonly type: string;
  readonly callee: { readonly name?: string };
  readonly arguments: readonly { readonly start: number; readonly end: number }[];
  readonly start: number;
  readonly end: number;
}
