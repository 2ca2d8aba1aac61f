import { fileURLToPath } from 'node:url';

import type { HistoryKeeperOptions } from '../runs/history/history-keeper.ts';
import type { RunServiceOptions, RunWindowsOptions } from '../runs/run-request.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { userLanguage } from '../settings/user-language.ts';
import type { Logger } from '../shared/log.ts';
import { findTerminals } from '../terminals/find-terminals.ts';

const mebibyte = 1024 * 1024;
const hourMs = 3_600_000;

/** The limits of runs according to the settings. */
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

/** The largest request bodies that the service accepts. */
export function bodyLimits(settings: LoadedSettings) {
  return {
    jsonBodyBytes: Math.round(settings.json_body_mib * mebibyte),
    formBodyBytes: Math.round(settings.form_body_mib * mebibyte),
  };
}

/** The limits of the history of runs. */
export function historyLimits(settings: LoadedSettings): HistoryKeeperOptions['limits'] {
  return {
    days: settings.history_days || null,
    runs: settings.history_runs || null,
    bytes: Math.round(settings.history_mib * mebibyte) || null,
  };
}

/** Options for the terminal windows of runs. */
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
        // The program that runs inside a window, and the home in which it finds its socket.
        inside: [process.execPath, fileURLToPath(new URL('..', import.meta.url)), settings.home],
        log,
      }),
    environment,
    language: userLanguage(environment),
    hold: settings.terminal_hold,
  };
}
