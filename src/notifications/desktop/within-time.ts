/** The reason when something is given up. */
export class NoAnswer extends Error {
  constructor() {
    super('no response in time');
  }
}

/** Gives work so much time. What it waits for then must end with the signal. */
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
