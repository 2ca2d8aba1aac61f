#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

// Before anything is loaded. What is new on the heap is cleared away more often, and so takes a megabyte or two, until there is work.
setFlagsFromString('--semi-space-growth-factor=1');

const entry = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(entry)) {
  await import(entry.href);
} else {
  console.error('hob: this clone is not built yet. Run: npm start (or npm run build)');
  process.exit(1);
}
