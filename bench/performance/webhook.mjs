import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { startApart } from '../support/start-apart.mjs';
import { pythonEnv } from './programs.mjs';

const host = '127.0.0.1';

/** Returns the version of webhook, after installing it if possible. Otherwise prints a line and returns null. */
export function findWebhook(say) {
  if (versionOf() === null && canInstall()) {
    say('installing the Debian package webhook');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const install = () => spawnSync('apt-get', ['install', '-y', '-qq', 'webhook'], { env, stdio: 'ignore' });
    if (install().status !== 0) {
      spawnSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
      install();
    }
  }
  const version = versionOf();
  if (version === null)
    say('webhook is not installed (only root on Debian can install it here): Hob is measured without it');
  return version;
}

function versionOf() {
  const { status, stdout } = spawnSync('webhook', ['-version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().split(' ').at(-1) : null;
}

function canInstall() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

/** Starts webhook with one hook per named command. A response contains the output of the command. */
export async function startWebhook(folder, commands) {
  const hooks = Object.entries(commands).map(([id, { file, args, cwd }]) => ({
    id,
    'execute-command': file,
    'command-working-directory': cwd,
    'include-command-output-in-response': true,
    'pass-arguments-to-command': args.map((name) => ({ source: 'string', name })),
  }));
  const hooksFile = join(folder, 'hooks.json');
  writeFileSync(hooksFile, JSON.stringify(hooks));
  const port = await freePort();
  const began = performance.now();
  const child = startApart('webhook', ['-hooks', hooksFile, '-ip', host, '-port', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, ...pythonEnv },
  });
  const exited = once(child, 'exit');
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`webhook ended with ${child.exitCode}`);
    await wait(1);
  }
  return {
    pid: child.pid,
    startMs: performance.now() - began,
    urlOf: (id) => `http://${host}:${port}/hooks/${id}`,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (isThere) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

async function freePort() {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
