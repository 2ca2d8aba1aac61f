import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into a process by NODE_OPTIONS: each SIGUSR2 makes it throw away all that nobody uses, and write down how much it
 * still holds. Only the process that was asked for it is: its children may have the same environment.
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
