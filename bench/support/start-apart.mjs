import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const started = new Set();

/**
 * Starts a service in its own session, as in normal use. Linux distributes processor time by session first: in the session of the
 * bench, a service would share one part with its own clients.
 */
export function startApart(file, args, options) {
  if (started.size === 0) for (const signal of signals) process.on(signal, stopAll);
  const child = spawn(file, args, { ...options, detached: true });
  started.add(child);
  child.once('exit', () => {
    started.delete(child);
    if (started.size === 0) for (const signal of signals) process.off(signal, stopAll);
  });
  return child;
}

/** Ctrl-C in the session of the bench does not reach another session, so stop the services here. */
function stopAll(signal) {
  for (const child of started) child.kill();
  process.exit(128 + constants.signals[signal]);
}
