/** Time window of the rate: long enough for a stable value, short enough to show a stall. */
const windowMs = 5000;
const sampleMs = 250;

/** Counts the progress of a download and its recent rate. */
export class ProgressMeter {
  bytesDone = 0;
  bytesTotal: number | null = null;
  filesDone = 0;
  filesTotal: number | null = null;
  folder: string | null = null;
  #fetched = 0;
  #samples: { readonly atMs: number; readonly fetched: number }[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#samples.push({ atMs: nowMs(), fetched: 0 });
  }

  expect(files: readonly { readonly sizeBytes: number }[]): void {
    this.filesTotal = files.length;
    this.bytesTotal = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Adds bytes that are on the disk. `isFetched`: they were just received from the network. */
  add(bytes: number, { isFileDone = false, isFetched = false } = {}): void {
    this.bytesDone += bytes;
    if (isFileDone) this.filesDone++;
    if (isFetched) this.#fetched += bytes;
    const nowMs = this.#nowMs();
    const last = this.#samples.at(-1);
    if (last === undefined || nowMs - last.atMs >= sampleMs) this.#sample(nowMs);
  }

  get bytesPerSecond(): number | null {
    const nowMs = this.#nowMs();
    this.#dropOld(nowMs);
    const [oldest] = this.#samples;
    if (oldest === undefined || nowMs - oldest.atMs < sampleMs) return null;
    return Math.round(((this.#fetched - oldest.fetched) / (nowMs - oldest.atMs)) * 1000);
  }

  get secondsLeft(): number | null {
    const rate = this.bytesPerSecond;
    if (this.bytesTotal === null || rate === null || rate <= 0) return null;
    return Math.ceil((this.bytesTotal - this.bytesDone) / rate);
  }

  #sample(atMs: number): void {
    this.#samples.push({ atMs, fetched: this.#fetched });
    this.#dropOld(atMs);
  }

  /** Drops samples older than the window, except the newest of them: without it, a stalled download would have no rate. */
  #dropOld(nowMs: number): void {
    while ((this.#samples[1]?.atMs ?? nowMs) < nowMs - windowMs) this.#samples.shift();
  }
}
