import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startService } from './compose.ts';
import { type Flags, type LoadedSettings, loadSettings, SettingsError } from './settings/load-settings.ts';
import { prepareHome } from './settings/prepare-home.ts';
import { inUrl } from './shared/addresses.ts';
import { errnoOf } from './shared/errors.ts';
import { createLogger, type Logger } from './shared/log.ts';
import { NotAFileError } from './shared/private-files.ts';
import { parseServiceInfo, serviceFile } from './shared/service-file.ts';
import { TokenError } from './shared/token-file.ts';
import { readVersion } from './shared/version.ts';
import { NewerDatabaseError } from './storage/database.ts';
import { type HomeLock, lockHome } from './storage/home-lock.ts';

/** A start that failed for a reason its user can do something about. */
export class StartError extends Error {}

/** The service, from its settings to the signal that ends it. Resolves when it has stopped in good order. */
export async function serve(flags: Flags): Promise<void> {
  const settings = await loadSettings(flags).catch((error: unknown) => {
    throw error instanceof SettingsError ? new StartError(error.message) : error;
  });
  const prepared = await prepareHome(settings.home);
  if (prepared.kind === 'unusable') throw new StartError(prepared.reason);
  const lock = tryLock(settings.home);
  if (lock === null) throw new StartError(await describeOther(settings.home));
  try {
    const log = await createLogger(settings.log_level);
    if (prepared.warning !== null) log.warn(prepared.warning);
    await serveLocked(settings, log);
  } finally {
    lock.release();
  }
}

function tryLock(home: string): HomeLock | null {
  try {
    return lockHome(home);
  } catch (error) {
    if (error instanceof NotAFileError) throw new StartError(error.message);
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`The home ${home} cannot be written to (${reason}). Choose another with --home.`);
  }
}

async function serveLocked(settings: LoadedSettings, log: Logger): Promise<void> {
  const stopAsked = new AbortController();
  const stopNow = new AbortController();
  const onSignal = () => {
    // The second time means at once.
    if (stopAsked.signal.aborted) stopNow.abort();
    stopAsked.abort();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // A closed terminal is a reason to stop in good order, too.
  process.on('SIGHUP', onSignal);

  // A promise that nobody watches is a defect worth a line in the log, not the end of everybody's runs.
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'a defect: unhandled rejection'));

  const version = readVersion();
  let all = settings.on_stop === 'stop';
  let stop = (): Promise<void> => Promise.resolve();
  const requestStop = (how: { all: boolean }) => {
    all ||= how.all;
    // The second time it may be asked for more than the first.
    if (stopAsked.signal.aborted) void stop();
    stopAsked.abort();
  };
  const service = await startService({ settings, log, version, requestStop }).catch((error: unknown) => {
    throw explainStart(error, settings);
  });
  process.stdout.write(`Hob is listening on ${service.url}\n`);
  log.info({ home: settings.home, version }, 'ready');
  if (settings.token)
    log.info(`callers must show the token, which this prints: hob token --home "${settings.home}"`);
  if (service.beyond.length > 0) {
    process.stdout.write(`... and on ${service.beyond.join(' and ')}\n`);
    log.warn(
      'other machines can reach this Hob, and nothing that they send or get is encrypted: see SECURITY.md',
    );
  }

  stop = () => service.stop(stopNow.signal, { all });
  await aborted(stopAsked.signal);
  const others = all ? 'other scripts are stopped' : 'other scripts go on';
  log.info(
    { running: service.running },
    `stopping: callers who wait get their answer, ${others}; a second signal ends at once`,
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

async function describeOther(home: string): Promise<string> {
  const info = parseServiceInfo(await readFile(join(home, serviceFile), 'utf8').catch(() => ''));
  const who = info === null ? 'Another Hob' : `Another Hob (pid ${info.pid}, ${info.url})`;
  return `${who} already serves the home ${home}. Stop it with \`hob stop\`, or choose another home with --home.`;
}

/** Which system call failed. */
function errnoCall(error: unknown): string | null {
  return error instanceof Error && 'syscall' in error ? String(error.syscall) : null;
}

function explainStart(error: unknown, settings: LoadedSettings): unknown {
  const isExplained = [NewerDatabaseError, NotAFileError, TokenError].some((kind) => error instanceof kind);
  if (isExplained && error instanceof Error) return new StartError(error.message);
  const errno = errnoOf(error);
  const place = settings.listen.map((address) => `${inUrl(address)}:${settings.port}`).join(' or ');
  if (errno === 'EADDRINUSE') {
    return new StartError(
      `Another program already listens on ${place}. Stop it, or choose another port with --port (0 takes any free one).`,
    );
  }
  if (errno === 'EADDRNOTAVAIL') {
    const address = error instanceof Error && 'address' in error ? error.address : place;
    return new StartError(`This machine has no address ${address}. Choose one that it has with --host.`);
  }
  if (errnoCall(error) === 'listen') {
    return new StartError(`Hob may not listen on ${place} (${errno}). Choose another address or port.`);
  }
  return error;
}
