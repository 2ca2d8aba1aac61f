import type { Script } from '../api/wire.ts';

/** A script for tests. */
export function someScript(name: string, rest: Partial<Script> = {}): Script {
  return {
    id: '0',
    slug: name,
    name,
    desc: null,
    version: null,
    icon: null,
    tags: [],
    folder: `/scripts/${name}`,
    manifest: `/scripts/${name}/script.toml`,
    language: 'python',
    language_version: null,
    entry: 'main.py',
    terminal: 'always',
    timeout: null,
    concurrency: null,
    lock: null,
    retries: null,
    node: false,
    input: null,
    params: [],
    outputs: [],
    require_models: false,
    models: [],
    context_menu: null,
    shortcut: null,
    dependencies: [],
    ...rest,
  };
}
