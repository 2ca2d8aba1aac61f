/** The abort reason of work that takes too long. */
export class NoAnswer extends Error {
  constructor() {
    super('no response in time');
  }
}

/** Runs work with a time limit. The work must end when the signal aborts. */
export async function withinTime<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new NoAnswer()), ms);
  timer.unref();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
