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
    // Everything comes from the service itself, and its policy lets a page load nothing that stands inside another file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Those of the packages inside, as they ask for.
    license: { fileName: 'third-party-licenses.md' },
    reportCompressedSize: false,
  },
});
