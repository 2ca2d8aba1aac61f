import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type Hob, tempFolder } from './hob.ts';
import { type Restartable, startRestartable } from './restartable.ts';
import { python, writeScript } from './scripts.ts';
import { until } from './until.ts';

/** A file that a run has read. */
export interface Processed {
  readonly path: string;
  readonly sha256: string;
  readonly run: string;
}

export interface InboxScene extends Restartable {
  readonly inbox: string;
  readonly triggersFile: string;
  /** The files that runs have read, in order. */
  processed(): Promise<Processed[]>;
  /** Waits until runs have read this many files. */
  untilProcessed(count: number): Promise<Processed[]>;
  /** The firings of the trigger, newest first. */
  firings(id?: string): Promise<Record<string, unknown>[]>;
  /** Waits until the trigger knows what was in its folder. */
  watching(id?: string): Promise<void>;
  trigger(id?: string): Promise<Record<string, unknown>>;
}

interface SceneOptions {
  /** Additional lines of the entry in triggers.toml. */
  fields?: string;
  /** Additional code of the script, after it has read a file `path`. */
  each?: string;
  /** The folder is not made. */
  isAbsent?: boolean;
  /** Files that are in the folder before the trigger. */
  before?: Record<string, string>;
  settings?: string;
  tables?: string;
}

/** A service whose trigger `inbox` watches a folder, with a script that records each file it gets. */
export async function startInbox({
  fields = '',
  each = '',
  isAbsent = false,
  before = {},
  settings = '',
  tables = '',
}: SceneOptions = {}): Promise<InboxScene> {
  const [base, home, scripts] = [await tempFolder(), await tempFolder(), await tempFolder()];
  const inbox = join(base, 'In box');
  if (!isAbsent) await mkdir(inbox);
  for (const [name, text] of Object.entries(before)) await writeFile(join(inbox, name), text);
  const log = join(base, 'processed.jsonl');
  await writeScript(scripts, 'recorder', {
    language: 'python',
    runtime: 'terminal = "never"',
    tables: `[[service.inputs]]\nname = "files"\ntype = "list"\n${tables}`,
    entry: python(`
import hashlib
for path in run["data"]["files"]:
    data = open(path, "rb").read()
    line = json.dumps({"path": path, "sha256": hashlib.sha256(data).hexdigest(), "run": env["run_id"]})
    log = os.open(${JSON.stringify(log)}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, (line + "\\n").encode())
    os.close(log)
${each.replaceAll(/^/gm, '    ')}
write({"code": 0, "msg": "done"})
`),
  });
  const triggersFile = join(home, 'triggers.toml');
  await writeFile(
    triggersFile,
    `[[trigger]]\nid = "inbox"\nscript = "recorder"\nkind = "folder"\npath = ${JSON.stringify(inbox)}\nsettle = "200ms"\n${fields}\n`,
  );
  const service = await startRestartable({ home, scripts: [scripts], settings });
  const processed = async (): Promise<Processed[]> => {
    const text = await readFile(log, 'utf8').catch(() => '');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  };
  const get = async (path: string): Promise<Record<string, unknown>> =>
    (await (service.hob as Hob).get(`/api/triggers/${path}`)).body;
  const scene: InboxScene = {
    get hob() {
      return service.hob;
    },
    restart: service.restart,
    inbox,
    triggersFile,
    processed,
    untilProcessed: (count) =>
      until(`${count} files are processed`, async () => {
        const all = await processed();
        return all.length >= count && all;
      }),
    async firings(id = 'inbox') {
      const { items } = await get(`${id}/slots?limit=500`);
      return Array.isArray(items) ? items : [];
    },
    trigger: (id = 'inbox') => get(id),
    async watching(id = 'inbox') {
      const { DatabaseSync } = await import('@photostructure/sqlite');
      await until(`the trigger ${id} has listed its folder`, async () => {
        const database = new DatabaseSync(join(home, 'hob.db'), { readOnly: true });
        try {
          return (
            database.prepare('SELECT 1 FROM trigger_positions WHERE trigger_id = ?').get(id) !== undefined
          );
        } finally {
          database.close();
        }
      });
    },
  };
  return scene;
}
