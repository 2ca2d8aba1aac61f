import { expect, onTestFinished } from 'vitest';

import type { Hob } from '../hob.ts';
import { SeededRandom } from '../random.ts';
import { until } from '../until.ts';
import { CallMaker } from './calls.ts';
import { type ApiAnswer, ApiClient, type Call } from './client.ts';
import { type Operation, readErrorCatalogue, resolveTarget } from './document.ts';
import { HostileValues } from './hostile.ts';
import { findFaults } from './judge.ts';
import type { Known } from './known.ts';

const connections = 6;
const callsBetweenHealth = 100;
/** The fuzzer stops after this many faults: enough to find the cause. */
const mostFaults = 100;

/** Sends calls, judges the answers, and counts them. */
export class Fuzz {
  readonly #random = new SeededRandom();
  readonly #catalogue = readErrorCatalogue();
  readonly #hob: Hob;
  readonly #operations: readonly Operation[];
  /** Operations to choose from. An operation with many inputs is listed more often, because more calls of it can be wrong. */
  readonly #turns: readonly Operation[];
  readonly #known: Known;
  readonly #maker: CallMaker;
  readonly #client: ApiClient;
  /** By operation, the first digits of the statuses of its answers. */
  readonly #classes = new Map<string, Set<string>>();
  readonly #codes = new Set<string>();
  readonly #faults: string[] = [];
  #sent = 0;
  #answered = 0;
  #failed = 0;

  constructor(hob: Hob, operations: readonly Operation[], known: Known) {
    this.#hob = hob;
    this.#operations = operations;
    this.#turns = operations.flatMap((each) => Array<Operation>(takesAnything(each) ? 4 : 1).fill(each));
    this.#known = known;
    this.#maker = new CallMaker(known, new HostileValues(this.#random.seed));
    this.#client = new ApiClient(hob.url, connections);
    onTestFinished(() => this.#client.close());
  }

  /** Sends calls until `count` more were answered. */
  async send(count: number): Promise<void> {
    const enough = this.#answered + count;
    const sendOn = async () => {
      while (this.#answered < enough && this.#faults.length < mostFaults) await this.#sendOne();
    };
    await Promise.all(Array.from({ length: connections }, sendOn));
    expect(this.#faults.slice(0, 10), `TEST_SEED=${this.#random.seed}`).toEqual([]);
  }

  /** Calls the operations that have not succeeded yet, until each has succeeded or `count` calls were sent. */
  async insist(count: number, { except }: { except: readonly string[] }): Promise<void> {
    for (let sent = 0; sent < count; sent++) {
      const missed = this.without('2').filter((name) => !except.includes(name));
      if (missed.length === 0) break;
      // Some operations need a run that POST /api/execute has started.
      await this.#sendOne(
        this.#operations.filter((operation) => [...missed, 'POST /api/execute'].includes(nameOf(operation))),
      );
    }
    expect(this.#faults.slice(0, 10), `TEST_SEED=${this.#random.seed}`).toEqual([]);
  }

  /** Cancels all runs but the one that lasts as long as the test, and waits until they have ended. */
  async settle(): Promise<void> {
    for (const runId of this.#known.takeLasting()) await this.#hob.post(`/api/runs/${runId}/cancel`, {});
    await until('no run is active', async () => {
      const { running, queued } = (await this.#hob.get('/api/health')).body;
      return running === 1 && queued === 0;
    });
  }

  seen() {
    return {
      answered: this.#answered,
      operations: this.#classes.size,
      codes: this.#codes.size,
      failed: this.#failed,
      faults: this.#faults.length,
    };
  }

  /** Operations without any answer of this status class. Operations without inputs need no 4xx, as no call of them can be wrong. */
  without(statusClass: '2' | '4'): string[] {
    return this.#operations
      .filter((operation) => statusClass === '2' || takesAnything(operation))
      .map(nameOf)
      .filter((name) => this.#classes.get(name)?.has(statusClass) !== true);
  }

  async #sendOne(turns = this.#turns): Promise<void> {
    const index = this.#sent++;
    if (index % callsBetweenHealth === 0) await this.#askHealth();
    // Each call has its own seed, so that concurrent calls do not influence its content.
    const random = new SeededRandom((this.#random.seed + index * 7919) | 0);
    const call = this.#maker.make(random.pick(turns), random);
    try {
      const answer = await this.#client.send(call);
      if (answer !== null) this.#judge(index, call, answer);
    } catch (error) {
      if (!(await this.#isDeleted(call))) this.#faults.push(`${describe(index, call)}: ${String(error)}`);
    }
  }

  /** Whether the run was deleted during the call. Its output then breaks off, because a regular end would look complete. */
  async #isDeleted({ target }: Call): Promise<boolean> {
    const [, runId] = /\/api\/runs\/([\da-f-]{36})\/std(?:out|err)/i.exec(target) ?? [];
    return runId !== undefined && (await this.#hob.get(`/api/runs/${runId}`)).status === 404;
  }

  #judge(index: number, call: Call, answer: ApiAnswer): void {
    const { status, headers, body } = answer;
    this.#answered++;
    if (status >= 500) this.#failed++;
    for (const fault of findFaults(call, answer, {
      operations: this.#operations,
      catalogue: this.#catalogue,
    }))
      this.#faults.push(`${describe(index, call)}: ${fault}; ${body.toString().slice(0, 300)}`);
    if (headers['x-hob-error'] !== undefined) this.#codes.add(String(headers['x-hob-error']));
    const { operation } = resolveTarget(this.#operations, call);
    if (operation === null) return;
    const classes = this.#classes.get(nameOf(operation)) ?? new Set();
    this.#classes.set(nameOf(operation), classes.add(String(status).slice(0, 1)));
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    if (status === 200 && isJson && call.method !== 'HEAD')
      this.#known.learn(operation, String(call.body), JSON.parse(body.toString()));
  }

  async #askHealth(): Promise<void> {
    const { status } = await this.#hob.get('/api/health');
    if (status !== 200) this.#faults.push(`its health was answered with ${status}`);
  }
}

function takesAnything({ parameters, bodies }: Operation): boolean {
  return parameters.length + bodies.length > 0;
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function describe(index: number, { method, target, headers, body }: Call): string {
  const sent = JSON.stringify({ headers, body: body?.toString().slice(0, 500) });
  return `call ${index}: ${method} ${target.slice(0, 300)} ${sent.slice(0, 900)}`;
}
