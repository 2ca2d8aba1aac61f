import { fileURLToPath } from 'node:url';

import type { HistoryKeeperOptions } from './runs/history/history-keeper.ts';
import type { RunServiceOptions } from './runs/run-request.ts';
import type { RunWindowsOptions } from './runs/run-windows.ts';
import type { LoadedSettings } from './settings/load-settings.ts';
import { userLanguage } from './settings/user-language.ts';
import type { Logger } from './shared/log.ts';
import { findTerminals } from './terminals/find-terminals.ts';

const mebibyte = 1024 * 1024;
const hourMs = 3_600_000;

/** What runs may use and how long they may take, as the settings say. */
export function runLimits(settings: LoadedSettings): RunServiceOptions['limits'] {
  return {
    maxRuns: settings.max_runs,
    maxQueued: settings.max_queued,
    queueWaitMs: settings.queue_wait_s * 1000,
    timeoutMs: settings.timeout_s === 0 ? null : settings.timeout_s * 1000,
    stopGraceMs: settings.stop_grace_s * 1000,
    drainMs: settings.drain_s * 1000,
    outputLogBytes: Math.round(settings.output_log_mib * mebibyte),
    outputAnswerBytes: Math.round(settings.output_answer_mib * mebibyte),
    resultBytes: Math.round(settings.result_mib * mebibyte),
    keepKeysMs: settings.idempotency_hours * hourMs,
  };
}

/** How much a request may bring. */
export function bodyLimits(settings: LoadedSettings) {
  return {
    jsonBodyBytes: Math.round(settings.json_body_mib * mebibyte),
    formBodyBytes: Math.round(settings.form_body_mib * mebibyte),
  };
}

/** How much of them is kept. */
export function historyLimits(settings: LoadedSettings): HistoryKeeperOptions['limits'] {
  return {
    days: settings.history_days || null,
    runs: settings.history_runs || null,
    bytes: Math.round(settings.history_mib * mebibyte) || null,
  };
}

/** How they get their windows. */
export function runWindows({
  settings,
  log,
}: {
  settings: LoadedSettings;
  log: Logger;
}): Omit<RunWindowsOptions, 'pageSize'> {
  const { environment } = settings;
  return {
    findTerminals: () =>
      findTerminals({
        platform: process.platform,
        environment,
        terminalCommand: settings.terminal_command,
        // What runs in a window, and where it finds its socket.
        inside: [process.execPath, fileURLToPath(new URL('.', import.meta.url)), settings.home],
        log,
      }),
    environment,
    language: userLanguage(environment),
    hold: settings.terminal_hold,
  };
}
