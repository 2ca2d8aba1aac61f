import { fileURLToPath } from 'node:url';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwindcss()],
  build: {
    target: 'es2022',
    assetsDir: 'assets',
    // The content security policy forbids data: URLs, so assets must not be inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The licenses of the bundled packages, which they require to be included.
    license: { fileName: 'third-party-licenses.md' },
    reportCompressedSize: false,
  },
});
