import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { smallProgram, writeScript } from './performance/programs.mjs';
import { scriptId } from './support/homes.mjs';
import { rounded, Samples } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** The scenario needs no history, so the page does not show its size. */
export const usesHistory = false;

const count = 1000;
const whole = { lists: 300, calls: 1500, warmUp: 200, idleMs: 40_000 };
/** Small values for a quick check that the scenario works. */
const few = { lists: 20, calls: 50, warmUp: 10, idleMs: 1000 };

/** Each request of the protocol of 2026 says who sends it. */
const version = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Measures the tools of agents: their list with many scripts, a call beside a plain execute, and the library of the protocol. */
export async function measure({ quick, say }) {
  const extent = quick ? few : whole;
  const load = loadavg()[0];
  const folder = mkdtempSync(join(tmpdir(), 'hob-bench-agents-'));
  const started = [];
  const start = async (name, scripts) => {
    const service = await startService(makeHome(join(folder, name), scripts), '');
    started.push(service);
    return service;
  };
  try {
    say('the first request');
    const one = await start('one', 1);
    const first = await measureFirst(one, extent);
    say('calls');
    const calls = await measureCalls(one, extent);
    await one.stop();
    started.pop();
    say(`tools/list with ${count} scripts`);
    const lists = await measureList(await start('many', count), extent);
    return {
      tables: tablesOf({ first, calls, lists, load }, extent),
      claims: claimsOf({ calls, lists }),
    };
  } finally {
    await Promise.all(started.map((service) => service.stop()));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function makeHome(home, scripts) {
  const parent = join(home, 'scripts');
  mkdirSync(parent, { recursive: true });
  for (let number = 1; number <= scripts; number++)
    writeScript(parent, { id: scriptId(number), name: `small${number}`, ...smallProgram });
  return home;
}

/** An agent with one connection. It sends one request at a time. */
class AgentCaller {
  #caller;
  #id = 0;

  constructor(service) {
    this.#caller = service.caller();
  }

  /** Returns the result of a method. `name` is the tool of a call. */
  async ask(method, params = {}, name = null) {
    const { result, error } = JSON.parse(await this.#send(method, params, name));
    if (error !== undefined || result.isError) throw new Error(JSON.stringify(error ?? result));
    return result;
  }

  /** Milliseconds until the whole response arrived. */
  async timed(method, params, name) {
    const began = performance.now();
    await this.#send(method, params, name);
    return performance.now() - began;
  }

  close() {
    this.#caller.close();
  }

  #send(method, params = {}, name = null) {
    this.#id += 1;
    const body = { jsonrpc: '2.0', id: this.#id, method, params: { ...params, _meta: meta } };
    return this.#caller.text('/mcp', body, {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(name !== null && { 'mcp-name': name }),
    });
  }
}

/** The library of the protocol is loaded with the first request. */
async function measureFirst(service, { idleMs }) {
  // Up to half a minute after its start, V8 collects once what the start has left.
  await pause(idleMs);
  const beforeMib = service.residentMib();
  const agent = new AgentCaller(service);
  const firstMs = await agent.timed('tools/list');
  const afterMib = service.residentMib();
  const secondMs = await agent.timed('tools/list');
  agent.close();
  return { startMs: service.startMs, beforeMib, afterMib, firstMs, secondMs };
}

/** Runs the same script by both ways in turn, so that disturbances of the machine affect both of them. */
async function measureCalls(service, { calls, warmUp }) {
  const agent = new AgentCaller(service);
  const caller = service.caller();
  const call = { name: 'small1', arguments: {} };
  const ways = [
    {
      samples: new Samples(),
      time: () => caller.timed('/api/execute', { script_id: scriptId(1), sync: true }),
    },
    { samples: new Samples(), time: () => agent.timed('tools/call', call, call.name) },
  ];
  await agent.ask('tools/call', call, call.name);
  for (let at = 0; at < warmUp + calls; at++) {
    // A run leaves work behind that delays the next request, so both ways follow each other equally often.
    for (const { samples, time } of at % 2 === 0 ? ways : ways.toReversed()) {
      const ms = await time();
      if (at >= warmUp) samples.add(ms);
    }
  }
  agent.close();
  caller.close();
  const [execute, tool] = ways.map(({ samples }) => samples);
  return { execute, tool };
}

async function measureList(service, { lists, warmUp }) {
  const agent = new AgentCaller(service);
  const { tools } = await agent.ask('tools/list');
  if (tools.length < count) throw new Error(`${tools.length} of ${count} tools are listed`);
  const samples = new Samples();
  for (let at = 0; at < Math.ceil(warmUp / 10); at++) await agent.ask('tools/list');
  for (let at = 0; at < lists; at++) samples.add(await agent.timed('tools/list'));
  agent.close();
  return { samples, kib: JSON.stringify(tools).length / 1024 };
}

function tablesOf({ first, calls, lists, load }, extent) {
  const row = (what, samples) => [what, ...[0.5, 0.95, 0.99].map((part) => rounded(samples.at(part)))];
  const [execute, tool] = [calls.execute, calls.tool];
  return [
    {
      title: `Requests of an agent, in milliseconds (protocol ${version}, one connection, load average at the start: ${rounded(load)})`,
      columns: ['request', 'p50', 'p95', 'p99'],
      rows: [
        row(
          `\`tools/list\` with ${count.toLocaleString('en')} scripts (${rounded(lists.kib)} KiB), ${extent.lists} times`,
          lists.samples,
        ),
        row(`\`tools/call\` of a small sh script, ${extent.calls} times`, tool),
        row('`POST /api/execute` of the same script, in turn with it', execute),
      ],
    },
    {
      title: 'The library of the protocol, which the first request loads',
      columns: ['', 'before the first request', 'after it'],
      rows: [
        ['memory of the service, MiB', rounded(first.beforeMib), rounded(first.afterMib)],
        ['a `tools/list`, ms', rounded(first.firstMs), rounded(first.secondMs)],
        ['until the service listens, ms', rounded(first.startMs), null],
      ],
    },
  ];
}

function claimsOf({ calls, lists }) {
  const claim = (what, measured, atMost) => ({
    what,
    bound: { atMost },
    measured: rounded(measured),
    isMet: measured <= atMost,
  });
  return [
    claim(`\`tools/list\` with ${count.toLocaleString('en')} scripts: p50, ms`, lists.samples.at(0.5), 50),
    claim(
      'a `tools/call` takes longer than `POST /api/execute` of the same script: difference of p50, ms',
      calls.tool.at(0.5) - calls.execute.at(0.5),
      2,
    ),
  ];
}
