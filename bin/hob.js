#!/usr/bin/env node
import { existsSync } from 'node:fs';

const entry = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(entry)) {
  await import(entry.href);
} else {
  console.error('hob: this clone is not built yet. Run: npm start (or npm run build)');
  process.exit(1);
}
