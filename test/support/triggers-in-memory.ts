import { join } from 'node:path';

import type { Catalogue } from '../../src/scripts/catalogue.ts';
import type { Logger } from '../../src/shared/log.ts';
import type { Trigger, TriggerDriver } from '../../src/triggers/trigger.ts';
import { TriggerFile } from '../../src/triggers/trigger-file.ts';
import type { TriggerStore } from '../../src/triggers/trigger-store.ts';
import { Triggers } from '../../src/triggers/triggers.ts';

interface Parts {
  folder: string;
  catalogue: Catalogue;
  triggerStore: TriggerStore;
  log: Logger;
}

/** Triggers of a file that fire nothing. */
export function triggersInMemory({ folder, catalogue, triggerStore, log }: Parts): Triggers {
  return new Triggers({
    file: new TriggerFile(join(folder, 'triggers.toml')),
    context: {
      findScript(id) {
        const script = catalogue.find(id);
        return script === null ? { kind: 'missing', id: null } : { kind: 'found', script };
      },
      hasSecret: () => true,
      homePaths: [folder],
    },
    drivers: { schedule: silentDriver(), folder: silentDriver(), webhook: silentDriver() },
    store: triggerStore,
    runs: {
      start: () => Promise.reject(new Error('this test starts no run of a trigger')),
      find: () => null,
      endOf: () => 'unknown',
      isLive: () => false,
      onEnd: () => () => {},
    },
    log,
    now: () => new Date(),
    notify: () => {},
  });
}

/** A driver that remembers its triggers. */
export function silentDriver<One extends Trigger>(): TriggerDriver<One> & { triggers: readonly One[] } {
  return {
    triggers: [],
    update(triggers) {
      this.triggers = triggers;
    },
    status: ({ id }) => ({
      next: [],
      words: { en: `words of ${id}`, zh: `${id} 的说明` },
      address: null,
      problem: null,
    }),
    close: async () => {},
  };
}
