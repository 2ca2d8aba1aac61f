/** What was measured of one thing, again and again. */
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

  /** The value that so much of all do not exceed: 0.5 is the median, 1 the largest. */
  at(part) {
    const sorted = this.#values.toSorted((a, b) => a - b);
    return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
  }

  get mean() {
    return this.#values.reduce((sum, value) => sum + value, 0) / this.#values.length;
  }
}

/** With as many digits as mean something. */
export function rounded(value) {
  if (!Number.isFinite(value)) return null;
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Number(value.toFixed(digits));
}

export function ratio(one, other) {
  return rounded(one / other);
}
