/** Waits for something, but not for ever. */
export async function within(what: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let timer: NodeJS.Timeout | undefined;
  // A timer of its own: the combination of two signals does not keep either from being collected before its time.
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([what, enough]);
  clearTimeout(timer);
}
