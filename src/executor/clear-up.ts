import { join } from 'node:path';

import { cgroupAt, removeCgroups } from './cgroups.ts';
import type { Legacy } from './journal.ts';
import { RunProcesses } from './run-processes.ts';
import { terminate } from './terminate.ts';

/** Nobody reads their output or would hear how they end any more; they get a moment to put things in order. */
const orphanGraceMs = 1000;

/** Ends the runs of an executor that was killed. What its ended runs have left running on purpose is left alone. */
export async function clearUp({ inFlight, cgroups }: Legacy): Promise<void> {
  await Promise.all(
    inFlight.map(({ runId, pid, startTicks }) => {
      const cgroup = cgroups === null ? null : cgroupAt(join(cgroups, runId));
      return terminate(new RunProcesses(runId, { pid, startTicks, isOurs: false }, cgroup), orphanGraceMs);
    }),
  );
  if (cgroups !== null) removeCgroups(cgroups);
}
