/**
 * Runs a Node script without waiting for an interpreter to start: this interpreter is started ahead of time, waits for
 * its one run, and then continues as if it had been started with that script. It is a CommonJS file and waits
 * synchronously, because an ordinary script would start at this point. In a later turn of the event loop, timers would
 * fire in another order.
 */
import type { NodeMemory } from './node-memory.cts';

const fs: typeof import('node:fs') = require('node:fs');
const nodeModule: typeof import('node:module') & {
  runMain(entry: string): void;
  readonly _pathCache?: Record<string, string>;
} = require('node:module');
const openNodeMemory: (cookie: string) => NodeMemory = require('./node-memory.cjs');

interface Order {
  readonly run_id: string;
  readonly cwd: string;
  readonly file: string;
  readonly options: readonly string[];
  readonly entry: string;
  readonly args: readonly string[];
}

const orders = 3;

function readLine(): string {
  const chunk = Buffer.alloc(65536);
  let text = '';
  while (!text.endsWith('\n')) {
    const bytes = fs.readSync(orders, chunk);
    // The executor has ended.
    if (bytes === 0) process.exit(0);
    text += chunk.toString('utf8', 0, bytes);
  }
  return text;
}

/** Loads what most scripts need. Node loads these modules on first use, which takes a while. */
function loadCommon(): void {
  for (const name of [
    'child_process',
    'crypto',
    'http',
    'https',
    'os',
    'path',
    'stream',
    'tty',
    'url',
    'util',
    'zlib',
  ]) {
    require(name);
  }
}

/** Exits if a script could distinguish this interpreter from a new one. Such runs get a new interpreter. */
function openMemory(): NodeMemory {
  try {
    return openNodeMemory('HOB_RUN_ID');
  } catch {
    fs.writeSync(orders, 'unfit\n');
    process.exit(0);
  }
}

readLine();
loadCommon();
const memory = openMemory();
fs.writeSync(orders, 'ready\n');
const { run_id, cwd, file, options, entry, args }: Order = JSON.parse(readLine());
memory.restart([file, ...options, entry, ...args], run_id);
memory.close();
fs.closeSync(orders);
process.chdir(cwd);
process.argv.splice(1, process.argv.length, entry, ...args);
// A script that is an ES module has no `process.mainModule`.
Reflect.deleteProperty(process, 'mainModule');
for (const path in require.cache) if (path.startsWith(__dirname)) delete require.cache[path];
for (const path in nodeModule._pathCache) delete nodeModule._pathCache[path];
nodeModule.runMain(entry);
