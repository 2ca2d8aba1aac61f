import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startService } from './service/compose.ts';
import { type Flags, type LoadedSettings, loadSettings } from './settings/load-settings.ts';
import { prepareHome } from './settings/prepare-home.ts';
import { inUrl } from './shared/addresses.ts';
import { ExplainedError, errnoOf } from './shared/errors.ts';
import { createLogger, type Logger } from './shared/log.ts';
import { parseServiceInfo, serviceFile } from './shared/service-file.ts';
import type { Text } from './shared/text.ts';
import { readVersion } from './shared/version.ts';
import { type HomeLock, lockHome } from './storage/home-lock.ts';

/**
 * Runs the service until a signal or a caller stops it. Resolves after an orderly stop. Throws an `ExplainedError` if
 * the start fails for a reason that the user can fix.
 */
export async function serve(flags: Flags): Promise<void> {
  const settings = await loadSettings(flags);
  const prepared = await prepareHome(settings.home);
  if (prepared.kind === 'unusable') throw new ExplainedError(prepared.reason);
  const lock = tryLock(settings.home);
  if (lock === null) throw new ExplainedError(await describeOther(settings.home));
  try {
    const log = await createLogger(settings.log_level);
    if (prepared.warning !== null) log.warn(prepared.warning.en);
    for (const note of settings.notes) log.warn(note.en);
    await serveLocked(settings, log);
  } finally {
    lock.release();
  }
}

function tryLock(home: string): HomeLock | null {
  try {
    return lockHome(home);
  } catch (error) {
    if (error instanceof ExplainedError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExplainedError({
      en: `The home ${home} is not writable (${reason}). Choose another with --home.`,
      zh: `无法写入数据目录 ${home}（${reason}）。请用 --home 指定其他目录。`,
    });
  }
}

async function serveLocked(settings: LoadedSettings, log: Logger): Promise<void> {
  const stopAsked = new AbortController();
  const stopNow = new AbortController();
  const onSignal = () => {
    // A second signal stops immediately.
    if (stopAsked.signal.aborted) stopNow.abort();
    stopAsked.abort();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // A closed terminal also causes an orderly stop.
  process.on('SIGHUP', onSignal);

  // An unhandled rejection is a defect to log. It must not end the runs of all callers.
  process.on('unhandledRejection', (reason) =>
    log.error({ err: reason }, 'internal error: unhandled rejection'),
  );

  const version = readVersion();
  let all = settings.on_stop === 'stop';
  let stop = (): Promise<void> => Promise.resolve();
  const requestStop = (how: { all: boolean }) => {
    all ||= how.all;
    // The second request may set `all` when the first did not.
    if (stopAsked.signal.aborted) void stop();
    stopAsked.abort();
  };
  const service = await startService({ settings, log, version, requestStop }).catch((error: unknown) => {
    throw explainStart(error, settings);
  });
  // In English only: programs that start a service wait for this line.
  process.stdout.write(`Hob is listening on ${service.url}\n`);
  log.info({ home: settings.home, version }, 'ready');
  if (settings.token) log.info(`callers must send the token; to see it: hob token --home "${settings.home}"`);
  if (service.beyond.length > 0) {
    process.stdout.write(`... and on ${service.beyond.join(' and ')}\n`);
    log.warn('other machines can reach this Hob over unencrypted connections; see SECURITY.md');
  }

  stop = () => service.stop(stopNow.signal, { all });
  await aborted(stopAsked.signal);
  const others = all ? 'other scripts are stopped' : 'other scripts continue';
  log.info(
    { running: service.running },
    `stopping: synchronous calls finish first, ${others}; a second signal stops immediately`,
  );
  await stop();
  log.info('stopped');
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function describeOther(home: string): Promise<Text> {
  const info = parseServiceInfo(await readFile(join(home, serviceFile), 'utf8').catch(() => ''));
  const [who, whoZh] =
    info === null ? ['', ''] : [` (pid ${info.pid}, ${info.url})`, `（进程 ${info.pid}，${info.url}）`];
  return {
    en: `Another Hob${who} already serves the home ${home}. Stop it with \`hob stop\`, or choose another home with --home.`,
    zh: `另一个 Hob${whoZh}已在使用数据目录 ${home}。请用 \`hob stop\` 停止它，或用 --home 指定其他数据目录。`,
  };
}

/** The system call that failed. */
function errnoCall(error: unknown): string | null {
  return error instanceof Error && 'syscall' in error ? String(error.syscall) : null;
}

function explainStart(error: unknown, settings: LoadedSettings): unknown {
  if (error instanceof ExplainedError) return error;
  const errno = errnoOf(error);
  const places = settings.listen.map((address) => `${inUrl(address)}:${settings.port}`);
  const place = { en: places.join(' or '), zh: places.join(' 或 ') };
  if (errno === 'EADDRINUSE') {
    return new ExplainedError({
      en: `Another program already listens on ${place.en}. Stop it, or choose another port with --port (0 selects any free port).`,
      zh: `另一个程序已在监听 ${place.zh}。请停止该程序，或用 --port 指定其他端口（0 表示任意空闲端口）。`,
    });
  }
  if (errno === 'EADDRNOTAVAIL') {
    const address = error instanceof Error && 'address' in error ? String(error.address) : place.en;
    return new ExplainedError({
      en: `This machine has no address ${address}. Choose an address of this machine with --host.`,
      zh: `这台电脑没有地址 ${address}。请用 --host 指定一个它拥有的地址。`,
    });
  }
  if (errnoCall(error) === 'listen') {
    return new ExplainedError({
      en: `Hob cannot listen on ${place.en} (${errno}). Choose another address or port.`,
      zh: `Hob 无权监听 ${place.zh}（${errno}）。请换一个地址或端口。`,
    });
  }
  return error;
}
