import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const started = new Set();

/**
 * Starts a service in a session of its own, as it has where people use it. Linux shares the processors out by session first: in that of
 * the bench, a service would have to make do with what its own callers leave of one share.
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

/** A session of its own hears nothing of a Ctrl-C in that of the bench. */
function stopAll(signal) {
  for (const child of started) child.kill();
  process.exit(128 + constants.signals[signal]);
}
