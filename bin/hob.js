#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

/** Scripts call these commands many times, so the build puts them into one file that loads fast. */
const scriptCommands = ['envelope', 'input', 'param', 'progress'];
const bundle = join(__dirname, '../dist/cli/script-commands.cjs');

if (!existsSync(join(__dirname, '../dist/cli/main.js'))) {
  console.error('hob: this clone is not built yet. Run: npm start (or npm run build)');
  process.exit(1);
} else if (scriptCommands.includes(process.argv[2]) && existsSync(bundle)) {
  require(bundle);
} else {
  void import('../dist/cli/main.js');
}
