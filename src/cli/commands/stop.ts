import { setTimeout as wait } from 'node:timers/promises';

import type { Command } from 'commander';

import { isAlive } from '../../shared/is-alive.ts';
import { findService } from '../find-service.ts';
import { UserError } from '../user-error.ts';

const pollMs = 50;
const answerWithinMs = 10_000;

export function configure(command: Command): void {
  command
    .option('--home <dir>', 'home of the service to stop (default: HOB_HOME)')
    .action(async (options: { home?: string }) => {
      const { home, service } = await findService(options.home);
      if (service === null) {
        process.stdout.write(`Hob is not running (home: ${home}).\n`);
        return;
      }
      const running = await countRunning(service.url);
      await ask(`${service.url}/api/stop`);
      process.stdout.write('Hob is stopping ...\n');
      while (isAlive(service.pid)) await wait(pollMs);
      process.stdout.write('Hob has stopped.\n');
      if (running > 0) {
        process.stdout.write(
          'Scripts that were running go on; the next Hob on this home records how they end.\n',
        );
      }
    });
}

async function countRunning(url: string): Promise<number> {
  try {
    const answer = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(answerWithinMs) });
    const health: unknown = await answer.json();
    return typeof health === 'object' && health !== null && 'running' in health ? Number(health.running) : 0;
  } catch {
    // Not worth failing for: what matters is said by the next call.
    return 0;
  }
}

async function ask(url: string): Promise<void> {
  const answer = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(answerWithinMs) }).catch(
    (error: unknown) => {
      throw new UserError(
        `Hob does not answer at ${url} (${error instanceof Error ? error.message : error}).`,
      );
    },
  );
  if (!answer.ok) throw new UserError(`Hob refused to stop: ${await answer.text()}`);
}
