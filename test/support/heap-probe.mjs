import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into a process by NODE_OPTIONS. On each SIGUSR2 the process collects its garbage and records how much memory it
 * still uses. Only the process that receives the signal does so, because its children may inherit the same environment.
 */
const file = process.env.HEAP_PROBE_FILE;
if (file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    collect();
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
    renameSync(`${file}.new`, file);
  });
}
