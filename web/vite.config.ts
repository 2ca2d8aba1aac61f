import { fileURLToPath } from 'node:url';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwindcss(), iconsWithoutKeys()],
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
