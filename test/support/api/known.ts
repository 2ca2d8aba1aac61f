import { randomUUID } from 'node:crypto';

import type { SeededRandom } from '../random.ts';
import type { Operation, Schema } from './document.ts';

export interface KnownScripts {
  /** Scripts that end immediately, so that a call may wait for them. */
  readonly quick: readonly string[];
  /** A script with params of several types, one of them required and one a secret. */
  readonly typed: string;
  /** A script that runs until it is cancelled. */
  readonly lasting: string;
  /** Scripts that cannot run. */
  readonly unusable: readonly string[];
  /** Package ids, and sources of these and other packages. */
  readonly packages: { readonly ids: readonly string[]; readonly sources: readonly string[] };
  readonly environments: readonly string[];
}

const remembered = 200;
const mostLasting = 4;

/** Ids and values from earlier answers that the next call can use. */
export class Known {
  readonly #scripts: KnownScripts;
  /** A run that lasts as long as the test, and the path prefix with its token. */
  readonly #lastingRun: { readonly runId: string; readonly prefix: string };
  readonly #runs: string[] = [];
  readonly #lasting: string[] = [];
  readonly #downloads: string[] = [];
  readonly #operations: string[] = [];
  readonly #cursors: string[] = [''];
  readonly #keys = ['key-1', 'key-2', 'key-3'];

  constructor(scripts: KnownScripts, lastingRun: { runId: string; prefix: string }) {
    this.#scripts = scripts;
    this.#lastingRun = lastingRun;
  }

  /** Returns the runs that continue until they are cancelled, and removes them from the list. */
  takeLasting(): string[] {
    return this.#lasting.splice(0);
  }

  /** Stores the parts of an answer that a later call can use. */
  learn({ method, path }: Operation, sent: string, body: unknown): void {
    if (typeof body !== 'object' || body === null) return;
    if ('next' in body && typeof body.next === 'string') this.#keep(this.#cursors, body.next);
    if (path === '/api/models/download' && 'download_id' in body)
      this.#keep(this.#downloads, String(body.download_id));
    if ('operation_id' in body && method === 'POST') this.#keep(this.#operations, String(body.operation_id));
    if (method === 'DELETE' && 'run_id' in body) this.#forget(String(body.run_id));
    if ((path !== '/api/execute' && !path.endsWith('/rerun')) || !('run_id' in body)) return;
    const runId = String(body.run_id);
    this.#keep(sent.includes(this.#scripts.lasting) ? this.#lasting : this.#runs, runId);
  }

  prefix(random: SeededRandom): string {
    return random.next() < 0.7
      ? this.#lastingRun.prefix
      : random.pick(['/r', `/r/${'x'.repeat(32)}`, '/r/%zz', '/r/..']);
  }

  id(path: string, method: string, random: SeededRandom): string {
    if (random.next() < 0.08) return randomUUID();
    if (path.startsWith('/api/agents/scripts')) return random.pick(this.#usable());
    if (path.startsWith('/api/scripts')) return random.pick([...this.#usable(), ...this.#scripts.unusable]);
    // The latest download or operation may still be running.
    if (path.startsWith('/api/models/downloads'))
      return random.pick([this.#downloads.at(-1) ?? randomUUID(), ...this.#downloads.slice(-4)]);
    if (path.startsWith('/api/package-operations'))
      return random.pick([this.#operations.at(-1) ?? randomUUID(), ...this.#operations.slice(-4)]);
    if (path.startsWith('/api/triggers')) return random.pick(triggerIds);
    if (path.startsWith('/api/packages')) return random.pick(this.#scripts.packages.ids);
    const lasting = this.#lasting[0];
    if (path.endsWith('/cancel') && lasting !== undefined && random.next() < 0.8) {
      this.#lasting.shift();
      return lasting;
    }
    if (random.next() < (path.includes('/terminal') ? 0.6 : method === 'GET' ? 0.2 : 0))
      return this.#lastingRun.runId;
    const id = random.pick([this.#runs.at(-1) ?? randomUUID(), ...this.#runs]);
    return random.next() < 0.1 ? id.toUpperCase() : id;
  }

  /** The repo of a model. Only those that no other call needs may be removed. */
  repo(method: string, random: SeededRandom): string {
    const removable = ['acme/spare', 'acme/none', 'acme/half'];
    return random.pick(method === 'DELETE' ? removable : [...removable, 'acme/tiny']);
  }

  secret(random: SeededRandom): string {
    return random.pick(['github-hook', 'other']);
  }

  environment(random: SeededRandom): string {
    return random.pick([...this.#scripts.environments, 'none']);
  }

  query(name: string, random: SeededRandom): string | null {
    switch (name) {
      case 'script':
        return random.pick(this.#usable());
      case 'parent':
        return this.#lastingRun.runId;
      case 'cursor':
        return random.pick(this.#cursors);
      case 'repo_id':
        return random.pick(['acme/tiny', 'acme/none', 'acme', 'a/b/c']);
      default:
        return random.pick(queryWords[name] ?? [null]);
    }
  }

  header(name: string, random: SeededRandom): string {
    return name === 'idempotency-key'
      ? random.pick([...this.#keys, randomUUID()])
      : random.pick(headerWords[name] ?? ['']);
  }

  /** Values for the fields of a body that are valid together. */
  body({ properties = {} }: Schema, random: SeededRandom): Record<string, unknown> {
    const params = { title: 'a title', quality: 5, mode: 'fast', password: 'secret', ratio: 0.5, isOn: true };
    if ('repo_id' in properties) {
      const files = random.pick([['*.onnx'], [], null]);
      return {
        repo_id: random.pick(['acme/one', 'acme/two']),
        source: 'huggingface',
        files,
        revision: 'main',
      };
    }
    if ('source' in properties) {
      const source = random.pick(this.#scripts.packages.sources);
      return { source, ref: null, path: null, prepare: random.next() < 0.5 };
    }
    if ('cron' in properties) {
      const script = random.pick(this.#scripts.quick);
      return {
        id: random.pick(triggerIds),
        script,
        kind: 'schedule',
        every: '300d',
        enabled: random.next() < 0.5,
      };
    }
    if ('value' in properties) return { value: 'a secret' };
    if ('text' in properties) return { text: random.pick(typed) };
    if ('columns' in properties) return { columns: 80, rows: 24 };
    if (!('script_id' in properties))
      return { notify_type: 'info', message: 'a message', duration: 5, fraction: 0.5, data: ['a'], params };
    if ('sync' in properties && this.#lasting.length < mostLasting && random.next() < 0.3)
      return { script_id: this.#scripts.lasting };
    const script_id = random.next() < 0.8 ? random.pick(this.#usable()) : random.pick(this.#scripts.unusable);
    const data = random.pick([['a'], { files: ['中文', '\0'] }, {}, []]);
    return { script_id, sync: random.next() < 0.5, data, params };
  }

  #usable(): string[] {
    return [...this.#scripts.quick, this.#scripts.typed];
  }

  #forget(runId: string): void {
    const index = this.#runs.indexOf(runId);
    if (index >= 0) this.#runs.splice(index, 1);
  }

  #keep(list: string[], item: string): void {
    list.push(item);
    if (list.length > remembered) list.shift();
  }
}

const triggerIds = ['nightly', 'other'];

/** Keys typed into a terminal, including those that end or suspend a script. */
const typed = ['a', '\r', '中文\n', '\u0003', '\u0004', '\u001a', '\u001b[A', 'x'.repeat(5000)];

const queryWords: Record<string, readonly string[]> = {
  state: ['succeeded', 'failed,succeeded', ' running , queued', 'unknown', 'done', ','],
  end_cause: ['exit', 'exit,signal,timeout', 'cancelled', 'exit,exit', 'none'],
  origin: ['execute', 'link,cli', 'console', 'elsewhere'],
  since: [
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '2999-12-31T23:59',
    '0',
    '1',
    '0-0',
    '0-0-ended',
    '3-0',
    '0000-01-01',
  ],
  until: ['2026-01-01', '2999-01-01T00:00:00+08:00', '9999-12-31T23:59:59Z'],
  q: ['quick', 'QUICK', '%', '_', '中', "'", '\\'],
  wait: ['0', '0.01', '1', '300', '300.5', '1e2', '-1'],
  follow: ['', 'true', 'false', '1', '0', 'yes'],
  place: ['own', 'huggingface', 'elsewhere'],
  dry_run: ['true', 'false', '1'],
  types: [
    'run.queued',
    'run.started,run.ended',
    ' notification , run.progress',
    'model.progress',
    'package.progress',
    'run.output',
    ',',
    'none',
  ],
};

const headerWords: Record<string, readonly string[]> = {
  range: ['bytes=0-', 'bytes=0-3', 'bytes=-2', 'bytes=1-1', 'bytes=100-'],
  'last-event-id': ['0', '1', '0-0', '4-0', '0-0-ended', '999999999999999'],
  'x-hob-origin': ['console', 'cli', 'menu', 'shortcut', 'execute'],
};
