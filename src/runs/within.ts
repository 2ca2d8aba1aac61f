/** Waits for a promise, for at most `ms` milliseconds or until the signal is aborted. */
export async function within(what: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let timer: NodeJS.Timeout | undefined;
  // Uses a timer instead of `AbortSignal.any`: a combined signal may be garbage-collected before it fires.
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([what, enough]);
  clearTimeout(timer);
}
