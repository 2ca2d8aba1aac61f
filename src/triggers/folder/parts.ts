import type { watch } from 'node:fs';

import type { Logger } from '../../shared/log.ts';
import type { Text } from '../../shared/text.ts';
import type { FiringRuns } from '../firing-runs.ts';
import type { FolderTrigger } from '../trigger.ts';
import type { TriggerStore } from '../trigger-store.ts';
import type { FileLooks } from './found-file.ts';
import type { WriterProbe } from './open-writers.ts';

/** The parts of the service that a folder uses. */
export interface InboxParts {
  store: TriggerStore;
  runs: Pick<FiringRuns, 'start' | 'find' | 'endOf'>;
  log: Logger;
  notify: (text: Text, trigger: FolderTrigger) => void;
  looks: FileLooks;
  probe: WriterProbe;
  watch: typeof watch;
  /** Milliseconds on a clock that never jumps. */
  steadyMs: () => number;
  /** Wall time, for records. */
  now: () => Date;
  /** How long the key of a run is kept. */
  keysKeptMs: number;
}
