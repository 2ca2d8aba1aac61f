#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

// Must be set before any module is loaded. The young generation is collected more often and stays at one or two megabytes until there is work.
setFlagsFromString('--semi-space-growth-factor=1');

const entry = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(entry)) {
  await import(entry.href);
} else {
  console.error('hob: this clone is not built yet. Run: npm start (or npm run build)');
  process.exit(1);
}
