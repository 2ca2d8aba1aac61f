import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Command } from 'commander';

import { isAlive } from '../../shared/is-alive.ts';
import { credentialsFor, findService, wrongToken } from '../find-service.ts';
import { UserError } from '../user-error.ts';

const pollMs = 50;
const hintAfterMs = 5000;
const answerWithinMs = 10_000;

export function configure(command: Command): void {
  command
    .option(
      '--home <dir>',
      'home of the service to stop (default: HOB_HOME, else the data folder of the platform)',
    )
    .option('--all', 'stop every script that it runs, too, and start none of those that wait')
    .action(async (options: { home?: string; all?: boolean }) => {
      const { home, service } = await findService(options.home);
      if (service === null) {
        process.stdout.write(`Hob is not running (home: ${home}).\n`);
        if (await hasExecutor(home)) process.stdout.write(goesOn);
        return;
      }
      const all = options.all === true;
      const { running, queued } = await countRuns(service.url);
      await ask(`${service.url}/api/stop`, { all }, { home, headers: credentialsFor(home, service) });
      const scripts = all && running > 0 ? ` with ${running} running script${running === 1 ? '' : 's'}` : '';
      process.stdout.write(`Hob is stopping${scripts} ...\n`);
      await waitForEnd(service.pid);
      process.stdout.write('Hob has stopped.\n');
      if (all) return;
      if (running > 0) {
        process.stdout.write(
          'Scripts that were running go on; the next Hob on this home records how they end. (hob stop --all stops them, too.)\n',
        );
      }
      if (queued > 0) process.stdout.write('Scripts that wait are started by the next Hob on this home.\n');
    });
}

const goesOn =
  'Scripts that it started still run. To stop them, start Hob again (hob serve), and then: hob stop --all\n';

/** Whether the process that runs scripts is there without its service: its files begin with its process id. */
async function hasExecutor(home: string): Promise<boolean> {
  const names = await readdir(join(home, 'executor')).catch(() => []);
  return names.some((name) => name.endsWith('-address.json') && isAlive(Number.parseInt(name, 10)));
}

async function waitForEnd(pid: number): Promise<void> {
  const hint = setTimeout(() => {
    process.stdout.write(
      'Still waiting for callers and scripts. Ctrl-C ends the waiting, not the stopping.\n',
    );
  }, hintAfterMs);
  while (isAlive(pid)) await wait(pollMs);
  clearTimeout(hint);
}

async function countRuns(url: string): Promise<{ running: number; queued: number }> {
  try {
    const answer = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(answerWithinMs) });
    const health: unknown = await answer.json();
    return { running: numberIn(health, 'running'), queued: numberIn(health, 'queued') };
  } catch {
    // Not worth failing for: what matters is said by the next call.
    return { running: 0, queued: 0 };
  }
}

function numberIn(value: unknown, key: string): number {
  return Number(Reflect.get(Object(value), key)) || 0;
}

async function ask(
  url: string,
  body: { all: boolean },
  { home, headers }: { home: string; headers: Record<string, string> },
): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch((error: unknown) => {
    throw new UserError(`Hob does not answer at ${url} (${error instanceof Error ? error.message : error}).`);
  });
  if (answer.status === 401) throw wrongToken(home);
  if (!answer.ok) throw new UserError(`Hob refused to stop: ${await answer.text()}`);
}
