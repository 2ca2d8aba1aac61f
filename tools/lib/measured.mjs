import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

/** Stores the results of a scenario, with date and machine, under its name in a JSON file. */
export function keepSeen(path, scenario, seen) {
  const data = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  data[scenario] = { when: new Date().toISOString().slice(0, 10), machine: machine(), ...seen };
  const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => a.localeCompare(b)));
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Describes date and machine of a measurement. */
export function seenText({ when, machine: { cpu, cores, memory_gib, kernel, node } }) {
  const model = cpu === undefined ? '' : `${cpu}, `;
  return `Measured on ${when} (${model}${cores} cores, ${memory_gib} GiB, ${kernel}, Node ${node}).`;
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
