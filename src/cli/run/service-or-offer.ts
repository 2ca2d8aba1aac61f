import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { faultOfHome } from '../../settings/prepare-home.ts';
import { claimPrivateFile } from '../../shared/private-files.ts';
import { startDetached } from '../../shared/start-detached.ts';
import { findService } from '../find-service.ts';
import { language, tr } from '../language.ts';
import { ServiceClient } from '../service-client.ts';
import { ask, canAsk } from '../terminal/ask.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';

const logName = 'serve.log';
const betweenLooksMs = 50;
const readyWithinMs = 60_000;
const shownLogLines = 5;

/** The service of a home. Where none runs, a person at a terminal is asked whether to start it. */
export async function serviceOrOffer(homeFlag: string | undefined): Promise<ServiceClient> {
  const { home, service } = await findService(homeFlag);
  if (service !== null || !canAsk()) return ServiceClient.find(homeFlag);
  const answer = await ask(
    tr(
      `Hob is not running (home: ${home}). Start it now? [Y/n] `,
      `Hob 没有运行（主目录：${home}）。现在启动吗？[Y/n] `,
    ),
  );
  if (!/^(?:y|yes|是|)$/i.test(answer.trim())) return ServiceClient.find(homeFlag);
  await startService(home);
  const client = await ServiceClient.find(homeFlag);
  process.stderr.write(
    tr(
      `Hob runs in the background now, at ${client.url}. To stop it: hob stop\n`,
      `Hob 已在后台运行，地址 ${client.url}。停止它：hob stop\n`,
    ),
  );
  return client;
}

/** Starts `hob serve` as a process of its own, and waits until it listens. */
async function startService(home: string): Promise<void> {
  const fault = await faultOfHome(home);
  if (fault !== null) throw new UserError(fault[language]);
  const logPath = join(home, logName);
  claimPrivateFile(logPath);
  // Emptied: it tells of this start, and an old failure must not be taken for one of now.
  const log = await open(logPath, 'w');
  const listening = new AbortController();
  try {
    const [command = ''] = process.argv.slice(1);
    const ended = startDetached(process.execPath, [command, 'serve', '--home', home], {
      cwd: home,
      stdio: ['ignore', log.fd, log.fd],
      signal: listening.signal,
    });
    const isReady = await Promise.race([ended.then(() => false), untilListening(home)]);
    if (!isReady) throw await notStarted(logPath);
  } finally {
    listening.abort();
    await log.close();
  }
}

async function untilListening(home: string): Promise<boolean> {
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline) {
    const { service } = await findService(home);
    if (service !== null) return true;
    await wait(betweenLooksMs);
  }
  return false;
}

async function notStarted(logPath: string): Promise<UserError> {
  const lines = (await readFile(logPath, 'utf8')).trim().split('\n').slice(-shownLogLines);
  const said = printable(lines.join('\n'));
  return new UserError(
    `${tr('Hob could not be started:', 'Hob 无法启动：')}\n${said}\n${tr(`(all of it: ${logPath})`, `（完整日志：${logPath}）`)}`,
  );
}
