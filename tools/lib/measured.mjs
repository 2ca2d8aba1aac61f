import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

/** Keeps what was seen of a scenario in a file with one entry for each, with when and where that was. */
export function keepSeen(path, scenario, seen) {
  const data = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  data[scenario] = { when: new Date().toISOString().slice(0, 10), machine: machine(), ...seen };
  const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => a.localeCompare(b)));
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Says when and where it was. */
export function seenText({ when, machine: { cpu, cores, memory_gib, kernel, node } }) {
  const model = cpu === undefined ? '' : `${cpu}, `;
  return `Seen on ${when} (${model}${cores} cores, ${memory_gib} GiB, ${kernel}, Node ${node}).`;
}

function machine() {
  return {
    cpu: cpus()[0]?.model.trim(),
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()}`,
    node: process.version,
  };
}
