import { join } from 'node:path';

import { cgroupAt, removeCgroups } from './cgroups.ts';
import type { Legacy } from './journal.ts';
import { RunProcesses } from './run-processes.ts';
import { terminate } from './terminate.ts';

/** No process reads the output of these scripts or waits for their exit any more; they get a moment to clean up. */
const orphanGraceMs = 1000;

/**
 * Stops the runs of an executor that was killed. Processes that its ended runs left running on purpose are not touched.
 */
export async function clearUp({ inFlight, cgroups }: Legacy): Promise<void> {
  await Promise.all(
    inFlight.map(({ runId, pid, startTicks }) => {
      const cgroup = cgroups === null ? null : cgroupAt(join(cgroups, runId));
      return terminate(new RunProcesses(runId, { pid, startTicks, isOurs: false }, cgroup), orphanGraceMs);
    }),
  );
  if (cgroups !== null) removeCgroups(cgroups);
}
