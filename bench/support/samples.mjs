/** Repeated measurements of one figure. */
export class Samples {
  #values = [];

  add(value) {
    this.#values.push(value);
  }

  addAll(values) {
    for (const value of values) this.add(value);
  }

  get count() {
    return this.#values.length;
  }

  /** Percentile: 0.5 is the median, 1 the largest value. */
  at(part) {
    const sorted = this.#values.toSorted((a, b) => a - b);
    return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
  }
}

/** Rounds to the significant digits. */
export function rounded(value) {
  if (!Number.isFinite(value)) return null;
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Number(value.toFixed(digits));
}

export function ratio(one, other) {
  return rounded(one / other);
}
