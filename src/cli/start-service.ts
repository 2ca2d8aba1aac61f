import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { faultOfHome } from '../settings/prepare-home.ts';
import { isJsonObject, tryParseJson } from '../shared/json.ts';
import { longLivedFlags } from '../shared/node-flags.ts';
import { claimPrivateFile } from '../shared/private-files.ts';
import { startDetached } from '../shared/start-detached.ts';
import { findService } from './find-service.ts';
import { language, tr } from './language.ts';
import { poll } from './poll.ts';
import { ServiceClient } from './service-client.ts';
import { printable } from './terminal/text.ts';
import { UserError } from './user-error.ts';

const logName = 'serve.log';
const pollTimes = { everyMs: 50, withinMs: 60_000 };
const shownLogLines = 5;

/** Starts `hob serve` in the background and waits until it listens. */
export async function startService(home: string): Promise<ServiceClient> {
  const fault = await faultOfHome(home);
  if (fault !== null) throw new UserError(fault[language]);
  const logPath = join(home, logName);
  claimPrivateFile(logPath);
  // Truncate the log, so that an old failure is not mistaken for a new one.
  const log = await open(logPath, 'w');
  const listening = new AbortController();
  try {
    const [command = ''] = process.argv.slice(1);
    const ended = startDetached(process.execPath, [...longLivedFlags, command, 'serve', '--home', home], {
      cwd: home,
      stdio: ['ignore', log.fd, log.fd],
      signal: listening.signal,
    });
    const listens = poll(async () => (await findService(home)).service, pollTimes);
    const service = await Promise.race([ended.then(() => null), listens]);
    if (service === null) throw await notStarted(logPath);
  } finally {
    listening.abort();
    await log.close();
  }
  return ServiceClient.find(home);
}

export function runsInBackground({ url }: ServiceClient): string {
  return tr(
    `Hob is running in the background at ${url}. To stop it: hob stop\n`,
    `Hob 已在后台运行，地址 ${url}。停止它：hob stop\n`,
  );
}

async function notStarted(logPath: string): Promise<UserError> {
  const lines = (await readFile(logPath, 'utf8')).trim().split('\n').slice(-shownLogLines);
  const said = printable(lines.map(messageIn).join('\n'));
  return new UserError(
    `${tr('Failed to start Hob:', 'Hob 无法启动：')}\n${said}\n${tr(`(full log: ${logPath})`, `（完整日志：${logPath}）`)}`,
  );
}

/** The message of a JSON log line. Lines from before logging started are plain text. */
function messageIn(line: string): string {
  const entry = tryParseJson(line);
  return isJsonObject(entry) && typeof entry.msg === 'string' ? entry.msg : line;
}
