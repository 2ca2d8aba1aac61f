/**
 * Runs a Node script without the wait for an interpreter to start: it is started ahead of time, waits for its one run, and then
 * goes on as if it had been started with that script. A CommonJS file, and waiting in the middle of it, because that is where
 * a script of its own would begin: in a later turn of the event loop timers would go off in another order.
 */
const fs: typeof import('node:fs') = require('node:fs');
const nodeModule: typeof import('node:module') & {
  runMain(entry: string): void;
  readonly _pathCache?: Record<string, string>;
} = require('node:module');

interface Order {
  readonly run_id: string;
  readonly cwd: string;
  readonly entry: string;
  readonly args: readonly string[];
}

const orders = 3;
const cookie = 'HOB_RUN_ID';

function readLine(): string {
  const chunk = Buffer.alloc(65536);
  let text = '';
  while (!text.endsWith('\n')) {
    const bytes = fs.readSync(orders, chunk);
    // Whoever would have given the order is gone.
    if (bytes === 0) process.exit(0);
    text += chunk.toString('utf8', 0, bytes);
  }
  return text;
}

/** In the place of the one that this process was started with, where others look for it, too. */
function setCookie(runId: string): void {
  try {
    const fields = fs.readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    const offset = `\0${fs.readFileSync('/proc/self/environ', 'latin1')}`.indexOf(`\0${cookie}=`);
    if (offset < 0) throw new Error('no cookie');
    const memory = fs.openSync('/proc/self/mem', 'r+');
    try {
      fs.writeSync(
        memory,
        Buffer.from(runId),
        0,
        runId.length,
        Number(fields[47]) + offset + cookie.length + 1,
      );
    } finally {
      fs.closeSync(memory);
    }
  } catch {
    process.env[cookie] = runId;
  }
}

/** What most scripts need is loaded on first use, which takes a while. */
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

readLine();
loadCommon();
fs.writeSync(orders, 'ready\n');
const { run_id, cwd, entry, args }: Order = JSON.parse(readLine());
fs.closeSync(orders);
setCookie(run_id);
process.chdir(cwd);
process.argv.splice(1, process.argv.length, entry, ...args);
// A script that is a module has no main module of the older kind.
Reflect.deleteProperty(process, 'mainModule');
delete require.cache[__filename];
for (const path in nodeModule._pathCache) delete nodeModule._pathCache[path];
nodeModule.runMain(entry);
