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
/** Far more than it takes to see what is wrong. */
const mostFaults = 100;

/** Sends calls, judges the answers, and keeps count. */
export class Fuzz {
  readonly #random = new SeededRandom();
  readonly #catalogue = readErrorCatalogue();
  readonly #hob: Hob;
  readonly #operations: readonly Operation[];
  /** What is called: an operation that takes much can be called wrongly in more ways than one that takes nothing. */
  readonly #turns: readonly Operation[];
  readonly #known: Known;
  readonly #maker: CallMaker;
  readonly #client: ApiClient;
  /** By operation, the first digits of the statuses that it was answered with. */
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

  /** Until so many more were answered. */
  async send(count: number): Promise<void> {
    const enough = this.#answered + count;
    const sendOn = async () => {
      while (this.#answered < enough && this.#faults.length < mostFaults) await this.#sendOne();
    };
    await Promise.all(Array.from({ length: connections }, sendOn));
    expect(this.#faults.slice(0, 10), `TEST_SEED=${this.#random.seed}`).toEqual([]);
  }

  /** Calls what nothing but chance has kept from succeeding, until each has, or so many more were sent. */
  async insist(count: number, { except }: { except: readonly string[] }): Promise<void> {
    for (let sent = 0; sent < count; sent++) {
      const missed = this.without('2').filter((name) => !except.includes(name));
      if (missed.length === 0) break;
      // Some take a run that others have started.
      await this.#sendOne(
        this.#operations.filter((operation) => [...missed, 'POST /api/execute'].includes(nameOf(operation))),
      );
    }
    expect(this.#faults.slice(0, 10), `TEST_SEED=${this.#random.seed}`).toEqual([]);
  }

  /** Waits until only the run that lasts as long as the test is under way. */
  async settle(): Promise<void> {
    for (const runId of this.#known.takeLasting()) await this.#hob.post(`/api/runs/${runId}/cancel`, {});
    await until('nothing is under way', async () => {
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

  /** The operations that were never answered with such a status; where nothing can be said wrongly, nothing is refused. */
  without(statusClass: '2' | '4'): string[] {
    return this.#operations
      .filter((operation) => statusClass === '2' || takesAnything(operation))
      .map(nameOf)
      .filter((name) => this.#classes.get(name)?.has(statusClass) !== true);
  }

  async #sendOne(turns = this.#turns): Promise<void> {
    const index = this.#sent++;
    if (index % callsBetweenHealth === 0) await this.#askHealth();
    // Each call has numbers of its own, so that those beside it do not change what it is.
    const random = new SeededRandom((this.#random.seed + index * 7919) | 0);
    const call = this.#maker.make(random.pick(turns), random);
    try {
      const answer = await this.#client.send(call);
      if (answer !== null) this.#judge(index, call, answer);
    } catch (error) {
      if (!(await this.#isDeleted(call))) this.#faults.push(`${describe(index, call)}: ${String(error)}`);
    }
  }

  /** The output of a run that is deleted meanwhile breaks off: no end of it could be told from the real one. */
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
