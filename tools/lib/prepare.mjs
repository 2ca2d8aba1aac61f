import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const oldestNode = [20, 19];
const installStamp = join(root, 'node_modules', '.hob-installed');
const buildStamp = join(root, 'dist', '.hob-built');
const lockFile = join(root, '.cache', 'prepare.lock');

/** Sets up a fresh clone: installs dependencies, then builds. Skips steps that are up to date. */
export async function prepare({ rebuild = false } = {}) {
  requireNode();
  if (!rebuild && isInstalled() && isBuilt()) return;
  const unlock = lock();
  try {
    if (!isInstalled()) install();
    if (rebuild || !isBuilt()) build();
  } catch (error) {
    say(error.message);
    process.exitCode = 1;
  } finally {
    unlock();
  }
  if (process.exitCode) process.exit();
}

/** Prints to stderr, because stdout belongs to the started program. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  say(
    `Hob needs Node ${oldestNode.join('.')} or newer; this is ${process.version}. Get it from https://nodejs.org`,
  );
  process.exit(1);
}

/** Concurrent set-ups would overwrite each other's files: the second one waits for the first. */
function lock() {
  mkdirSync(dirname(lockFile), { recursive: true });
  // Write the file first and link it into place, so that a lock never exists without its holder.
  const draft = `${lockFile}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  let announced = false;
  try {
    for (;;) {
      try {
        linkSync(draft, lockFile);
        return () => rmSync(lockFile, { force: true });
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const holder = existsSync(lockFile) ? Number(readFileSync(lockFile, 'utf8')) : 0;
      if (holder > 0 && !isAlive(holder)) {
        rmSync(lockFile, { force: true });
        continue;
      }
      if (!announced) say(`Waiting for another set-up (pid ${holder}) ...`);
      announced = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function isInstalled() {
  return readStamp(installStamp) === installKey();
}

function isBuilt() {
  return existsSync(join(root, 'build')) && readStamp(buildStamp) === buildKey();
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Inputs that the installed packages depend on; native packages depend on the platform. */
function installKey() {
  const lockText = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(lockText).update(`${process.platform} ${process.arch}`).digest('hex');
}

function buildKey() {
  const hash = createHash('sha256');
  for (const path of [
    ...sourceFiles(join(root, 'src')),
    ...filesIn(join(root, 'web')),
    join(root, 'tsconfig.json'),
    join(root, 'tsconfig.build.json'),
    join(root, 'tsconfig.client.json'),
    join(root, 'tools', 'lib', 'bundle.mjs'),
    join(root, 'tools', 'lib', 'client-package.mjs'),
    join(root, 'tools', 'lib', 'compress-files.mjs'),
    join(root, 'tools', 'lib', 'fill-dist.mjs'),
  ]) {
    hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

export function sourceFiles(folder) {
  return filesIn(folder).filter((path) => /\.(ts|cts|py)$/.test(path));
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function install() {
  say('Installing dependencies (once; about half a minute) ...');
  // No dependency needs an install script; ignoring all of them keeps the install fast and predictable. (An npm setting would also keep
  // `npm pack` from building first.)
  const flags = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  run(...npm('ci', ...flags, '--loglevel=error', '--progress=true'));
  writeFileSync(installStamp, installKey());
}

/**
 * Builds beside the old build and replaces it at the end, so that a service never starts from an incomplete build. `build` contains the
 * compiled modules, for tools and tests; `dist` contains the program.
 */
function build() {
  say('Building ...');
  const key = buildKey();
  const compiled = join(root, `build.${process.pid}`);
  const dist = join(root, `dist.${process.pid}`);
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    run(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', compiled]);
    // In a process of its own: the tools keep hundreds of megabytes, and this process may become the service.
    run(process.execPath, [join(root, 'tools', 'lib', 'fill-dist.mjs'), compiled, dist]);
    writeFileSync(join(dist, '.hob-built'), key);
    replaceFolder(join(root, 'build'), compiled);
    replaceFolder(join(root, 'dist'), dist);
  } finally {
    for (const folder of [compiled, dist]) rmSync(folder, { recursive: true, force: true });
  }
}

function replaceFolder(place, folder) {
  const old = `${place}.old.${process.pid}`;
  if (existsSync(place)) renameSync(place, old);
  renameSync(folder, place);
  rmSync(old, { recursive: true, force: true });
}

/** The npm that started this process, else the one on PATH. */
function npm(...args) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return [process.execPath, [script, ...args]];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', args];
}

function run(file, args) {
  const { status, error } = spawnSync(file, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: file.endsWith('.cmd'),
  });
  if (status === 0) return;
  const command = [file, ...args].join(' ');
  throw new Error(error ? `${file} could not be started: ${error.message}` : `${command} failed (${status})`);
}
