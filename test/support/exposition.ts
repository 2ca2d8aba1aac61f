/** One value in a metrics text. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  readonly type: string;
  readonly samples: Sample[];
}

/** A metrics text that has passed every check. */
export class Exposition {
  readonly families: ReadonlyMap<string, Family>;

  constructor(families: ReadonlyMap<string, Family>) {
    this.families = families;
  }

  /** The value of a series; undefined if the series does not exist. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    return this.#byKey.get(keyOf(name, labels));
  }

  /** All series with this name. */
  series(name: string): Sample[] {
    return [...this.families.values()].flatMap(({ samples }) => samples).filter((each) => each.name === name);
  }

  /** Throws if the value of a counter or histogram has decreased. */
  assertGrownFrom(earlier: Exposition): void {
    for (const { type, samples } of earlier.families.values()) {
      if (type === 'gauge') continue;
      for (const { name, labels, value } of samples) {
        const now = this.value(name, labels);
        if (now === undefined || now < value) fail(`${keyOf(name, labels)} went from ${value} to ${now}`);
      }
    }
  }

  get #byKey(): Map<string, number> {
    const samples = [...this.families.values()].flatMap((family) => family.samples);
    return new Map(samples.map(({ name, labels, value }) => [keyOf(name, labels), value]));
  }
}

/**
 * Reads the Prometheus text format, more strictly than Prometheus does. Every family has one help line, then one type line, then
 * its samples. No series occurs twice. Counters have the name and the values of a counter. The buckets of a histogram
 * add up.
 */
export function parseExposition(text: string): Exposition {
  if (!text.endsWith('\n')) fail('the last line does not end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let helpOf: string | null = null;
  let current: { name: string; family: Family } | null = null;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const help = /^# HELP ([a-zA-Z_:][\w:]*) \S.*$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    if (help !== null) {
      helpOf = help[1] ?? null;
      current = null;
    } else if (type !== null) {
      const [, name = '', kind = ''] = type;
      if (helpOf !== name) fail(`no help right before the type of ${name}`);
      if (families.has(name)) fail(`${name} comes twice`);
      current = { name, family: { type: kind, samples: [] } };
      families.set(name, current.family);
    } else {
      const sample = parseSample(line);
      if (current === null || !belongs(sample.name, current.name, current.family.type))
        fail(`a sample outside of its family: ${line}`);
      const key = keyOf(sample.name, sample.labels);
      if (seen.has(key)) fail(`a series comes twice: ${line}`);
      seen.add(key);
      current?.family.samples.push(sample);
    }
  }
  for (const [name, family] of families) checkFamily(name, family);
  return new Exposition(families);
}

function parseSample(line: string): Sample {
  const match =
    /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|Nan|NaN)$/.exec(line) ??
    fail(`not a sample: ${line}`);
  const [, name = '', labelText, value = ''] = match;
  const number = value.endsWith('Inf') ? Number(value.replace('Inf', 'Infinity')) : Number(value);
  return { name, labels: labelText === undefined ? {} : parseLabels(labelText), value: number };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  const pair = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/y;
  while (pair.lastIndex < text.length) {
    const [, name = '', value = ''] = pair.exec(text) ?? fail(`bad labels: ${text}`);
    if (name in labels) fail(`a label comes twice: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_all, escaped) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}

function belongs(sample: string, family: string, type: string): boolean {
  if (type !== 'histogram') return sample === family;
  return ['_bucket', '_sum', '_count'].some((end) => sample === family + end);
}

function checkFamily(name: string, { type, samples }: Family): void {
  // Some default metrics of Node end in _total but are gauges, so only Hob's own names are checked.
  if (name.startsWith('hob_') && name.endsWith('_total') !== (type === 'counter'))
    fail(`${name} is a ${type}`);
  if (type === 'counter') {
    for (const { value } of samples) if (!(Number.isFinite(value) && value >= 0)) fail(`${name} is ${value}`);
  }
  if (type === 'histogram') checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const groups = new Map<string, { bounds: number[]; counts: number[]; sum?: number; count?: number }>();
  for (const { name: sample, labels, value } of samples) {
    const { le, ...others } = labels;
    const key = keyOf(name, others);
    const group = groups.get(key) ?? { bounds: [], counts: [] };
    groups.set(key, group);
    if (sample === `${name}_sum`) group.sum = value;
    else if (sample === `${name}_count`) group.count = value;
    else {
      group.bounds.push(le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le));
      group.counts.push(value);
    }
  }
  for (const [key, { bounds, counts, sum, count }] of groups) {
    if (sum === undefined || count === undefined) fail(`${key} has no sum or no count`);
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) fail(`${key} has no bucket for all`);
    if (counts.at(-1) !== count) fail(`${key}: the bucket for all is not the count`);
    if (!isAscending(bounds, true)) fail(`${key}: its bounds do not ascend`);
    if (!isAscending(counts, false)) fail(`${key}: its buckets do not add up`);
  }
}

function isAscending(numbers: readonly number[], strictly: boolean): boolean {
  return numbers.every((number, index) => {
    const before = numbers[index - 1];
    return before === undefined || (strictly ? before < number : before <= number);
  });
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name}${JSON.stringify(sorted)}`;
}

function fail(reason: string): never {
  throw new Error(`invalid metrics text: ${reason}`);
}
