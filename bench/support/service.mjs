import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startApart } from './start-apart.mjs';

const command = fileURLToPath(new URL('../../bin/hob.js', import.meta.url));

/** Starts a real service on a home. `env` has further variables for it. */
export async function startService(home, settings, env = {}) {
  writeFileSync(join(home, 'settings.toml'), settings);
  const began = performance.now();
  // The same options of Node as `hob start`.
  const args = [
    '--v8-pool-size=1',
    '--max-semi-space-size=1',
    command,
    'serve',
    '--home',
    home,
    '--port',
    '0',
  ];
  const child = startApart(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HOB_LOG_LEVEL: 'error', ...env },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim().split(' ').at(-1)));
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return {
    startMs: performance.now() - began,
    url,
    pid: child.pid,
    executorPid: () => executorPid(home),
    residentMib: () => residentBytes(child.pid) / 2 ** 20,
    caller: () => new Caller(url),
    async stop() {
      child.kill();
      await exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Resident memory of a process, including shared pages. The field `VmHWM` is its peak. */
export function residentBytes(pid, field = 'VmRSS') {
  const [, kib] =
    new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** Process id of the executor of a home. */
function executorPid(home) {
  const names = readdirSync(join(home, 'executor')).filter((name) => name.endsWith('-address.json'));
  if (names.length !== 1) throw new Error(`expected one executor for ${home}, found ${names.length}`);
  return Number.parseInt(names[0], 10);
}

/** A client that sends one request at a time over one connection. */
class Caller {
  #url;
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url) {
    this.#url = url;
  }

  /** Milliseconds until the whole response arrived. */
  async timed(path, body, headers) {
    const began = performance.now();
    await this.text(path, body, headers);
    return performance.now() - began;
  }

  async json(path, body) {
    return JSON.parse(await this.text(path, body));
  }

  text(path, body, headers = {}) {
    return new Promise((resolve, reject) => {
      const options = {
        agent: this.#agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      };
      const asked = request(this.#url + path, options, (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (answer.statusCode === 200) resolve(text);
          else reject(new Error(`${path} was answered with ${answer.statusCode}: ${text}`));
        });
      });
      asked.once('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close() {
    this.#agent.destroy();
  }
}
