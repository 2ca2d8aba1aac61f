import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Progress } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { type Agent, type CallOptions, clientKinds } from '../support/mcp-clients.ts';
import { processesWith } from '../support/processes.ts';
import { shareService } from '../support/shared-service.ts';
import { until } from '../support/until.ts';

const service = shareService();
const kinds = clientKinds();

const greet = `
import hob from 'hob';

await hob.main(({ params, run }) => {
  console.log(\`to \${params.name}: \${'hello '.repeat(params.times)}\`);
  return { msg: \`greeted \${params.name}\`, runId: run.runId };
});
`;

const greetParams = `
[service.mcp]
name = "greet"

[[service.params]]
name = "name"
type = "str"
required = true

[[service.params]]
name = "times"
type = "int"
default = 1
`;

/** Starts a process of its own, reports progress with its run id, and ends when the file \`gate\` exists. */
const gated = `
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import hob from 'hob';

await hob.main(async ({ params, run }) => {
  const child = spawn('sleep', ['600']);
  run.progress(0.25, 'begun');
  run.progress(0.5, run.runId);
  while (!existsSync(params.gate)) await setTimeout(20);
  child.kill();
  return { msg: 'the gate is open', at: params.gate };
});
`;

const gatedParams = `
[[service.params]]
name = "gate"
type = "str"
required = true
`;

const oddResult = `
import hob from 'hob';

await hob.main(() => ({ stdout: ['a.png'], run_id: 5 }));
`;

beforeAll(async () => {
  await service.add('greet-someone', {
    language: 'node.js',
    entry: ['main.mjs', greet],
    tables: greetParams,
  });
  await service.add('odd-result', { language: 'node.js', entry: ['main.mjs', oddResult] });
  await service.add('gated', { language: 'node.js', entry: ['main.mjs', gated], tables: gatedParams });
});

interface GatedCall {
  readonly answer: ReturnType<Agent['call']>;
  /** The id of its run, when the script runs. */
  readonly runId: Promise<string>;
  /** Lets the script end. */
  open(): Promise<void>;
}

async function callGated(
  agent: Agent,
  { onProgress, ...options }: CallOptions = {},
): Promise<GatedCall & { gate: string }> {
  const gate = join(await tempFolder(), 'gate');
  let started = (_runId: string) => {};
  const runId = new Promise<string>((resolve) => {
    started = resolve;
  });
  const answer = agent.call(
    'gated',
    { gate },
    {
      ...options,
      onProgress(progress) {
        onProgress?.(progress);
        if (progress.progress >= 50) started(progress.message ?? '');
      },
    },
  );
  // A call that is cancelled on purpose rejects.
  answer.catch(() => {});
  return { answer, runId, gate, open: () => writeFile(gate, '') };
}

const processesOf = (runId: string) => processesWith(`HOB_RUN_ID=${runId}`);

describe.each(kinds)('$name', (kind) => {
  it('lists the tools and calls one', async () => {
    const agent = await kind.connect(service.hob);
    expect(agent.version).toBe(kind.version);
    const tools = await agent.tools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['hob_runs', 'hob_wait', 'hob_output', 'hob_cancel', 'greet', 'gated']),
    );
    expect(tools.find(({ name }) => name === 'greet')?.inputSchema).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, times: { type: 'integer', default: 1 } },
      required: ['name'],
      additionalProperties: false,
    });
    const name = '王小明 "; $(reboot)';
    const { isError, structuredContent, content } = await agent.call('greet', { name });
    expect(isError ?? false).toBe(false);
    expect(structuredContent).toMatchObject({ code: 0, msg: `greeted ${name}` });
    expect(content[0]).toMatchObject({ type: 'text', text: expect.stringContaining(`greeted ${name}`) });
    const { runId } = Object(structuredContent);
    const { body } = await service.hob.get(`/api/runs/${runId}`);
    expect(body).toMatchObject({ origin: 'mcp', client: kind.name, state: 'succeeded' });
  });

  it('receives the progress of a script while it runs', async () => {
    const agent = await kind.connect(service.hob);
    const seen: Progress[] = [];
    const call = await callGated(agent, { onProgress: (progress) => seen.push(progress) });
    const runId = await call.runId;
    // A sign of life, which a slow start may need, has no total.
    expect(seen.filter(({ total }) => total !== undefined)).toEqual([
      { progress: 25, total: 100, message: 'begun' },
      { progress: 50, total: 100, message: runId },
    ]);
    await call.open();
    expect((await call.answer).structuredContent).toEqual({
      code: 0,
      msg: 'the gate is open',
      at: call.gate,
    });
  });

  it('cancels a call, which ends all processes of its run', async () => {
    const agent = await kind.connect(service.hob);
    const aborter = new AbortController();
    const call = await callGated(agent, { signal: aborter.signal });
    const runId = await call.runId;
    await until('the script and its child run', async () => (await processesOf(runId)).length >= 2);
    aborter.abort(new Error('not needed any more'));
    await expect(call.answer).rejects.toThrow('not needed any more');
    expect(await service.hob.ended(runId)).toMatchObject({ end_cause: 'cancelled' });
    await until('its processes are gone', async () => (await processesOf(runId)).length === 0);
    expect((await agent.call('greet', { name: 'again' })).structuredContent).toMatchObject({ code: 0 });
  });

  it('reads the resources of a run', async () => {
    const agent = await kind.connect(service.hob);
    expect(await agent.resourceTemplates()).toEqual([
      'hob://runs/{run_id}',
      'hob://runs/{run_id}/stdout',
      'hob://runs/{run_id}/stderr',
      'hob://runs/{run_id}/result',
    ]);
    const { content, structuredContent } = await agent.call('greet', { name: 'reader', times: 2 });
    const { runId } = Object(structuredContent);
    const stdout = `hob://runs/${runId}/stdout`;
    expect(content).toContainEqual(expect.objectContaining({ type: 'resource_link', uri: stdout }));
    expect(await agent.resources()).toContain(`hob://runs/${runId}`);
    expect(await agent.read(stdout)).toBe('to reader: hello hello \n');
    expect(await agent.read(`hob://runs/${runId}/stderr`)).toBe('');
    expect(JSON.parse(await agent.read(`hob://runs/${runId}/result`))).toEqual(structuredContent);
    expect(JSON.parse(await agent.read(`hob://runs/${runId}`))).toMatchObject({
      run_id: runId,
      tool: 'greet',
      state: 'succeeded',
      client: kind.name,
      params: { name: 'reader', times: 2 },
    });
    const missing = `hob://runs/${randomUUID()}/stdout`;
    await expect(agent.read(missing)).rejects.toThrow(`There is no resource ${missing}`);
  });

  it('gets the result of a script that uses the names of Hob for values of other types', async () => {
    const agent = await kind.connect(service.hob);
    // A client checks the result against the schema of the tool, which it has read before.
    await agent.tools();
    const { structuredContent } = await agent.call('odd-result');
    expect(structuredContent).toMatchObject({ code: 0, stdout: ['a.png'], run_id: 5 });
  });

  it('gets errors that say what to do', async () => {
    const agent = await kind.connect(service.hob);
    await expect(agent.call('missing')).rejects.toThrow(/There is no tool "missing".*List the tools again/);
    const refusal = async (args: Record<string, unknown>) => {
      const { isError, content } = await agent.call('greet', args);
      expect(isError).toBe(true);
      return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    };
    expect(await refusal({ name: 'a', nmae: 'b' })).toBe(
      'The tool greet has no argument "nmae". It has these: name, times.',
    );
    expect(await refusal({})).toContain('name');
    expect(await refusal({ name: 'a', times: 'often' })).toContain('times');
  });

  it('notices that a script was added', async () => {
    const name = `added-${kind.name.toLowerCase().replaceAll(/\W+/g, '-')}`;
    const changes: string[][] = [];
    const agent = await kind.connect(service.hob, (names) => changes.push(names));
    expect((await agent.tools()).map((tool) => tool.name)).not.toContain(`${name}-1`);
    let added = 0;
    // No client says when its stream of notifications is open, and a change before that is not announced.
    await until('the change is announced', async () => {
      await service.add(`${name}-${++added}`);
      return changes.length > 0;
    });
    expect(changes[0]).toContain(`${name}-1`);
    expect(await agent.call(`${name}-1`)).not.toHaveProperty('isError', true);
  });
});

const lossy = kinds.filter(({ hasSession, transport }) => hasSession && transport === 'HTTP');
it.each(lossy)('continues the run of $name after a lost connection', async (kind) => {
  const first = await kind.connect(service.hob);
  const call = await callGated(first);
  const runId = await call.runId;
  await first.close();
  const second = await kind.connect(service.hob);
  const waiting = second.call('hob_wait', { run_id: runId });
  await call.open();
  expect((await waiting).structuredContent).toMatchObject({ msg: 'the gate is open' });
});

const leaving = kinds.filter(({ hasSession, transport }) => !hasSession || transport === 'stdio');
it.each(leaving)('cancels the open call of $name when the client ends', async (kind) => {
  const agent = await kind.connect(service.hob);
  const call = await callGated(agent);
  const runId = await call.runId;
  await agent.close();
  expect(await service.hob.ended(runId)).toMatchObject({ end_cause: 'cancelled' });
});

it('lets a run continue after 45 seconds, and a client that reconnects finds it', async () => {
  const following = kinds.map(async (kind) => {
    const first = await kind.connect(service.hob);
    const call = await callGated(first);
    const runId = await call.runId;
    const { structuredContent, isError } = await call.answer;
    expect(isError ?? false).toBe(false);
    expect(structuredContent).toEqual({
      run_id: runId,
      msg: expect.stringContaining(`Call hob_wait with run_id "${runId}"`),
    });
    await first.close();

    const second = await kind.connect(service.hob);
    const runs = async () => JSON.stringify((await second.call('hob_runs')).content);
    expect(await runs()).toMatch(new RegExp(`${runId}: gated [^,]*, is still running`));
    const waiting = second.call('hob_wait', { run_id: runId });
    await call.open();
    expect((await waiting).structuredContent).toEqual({ code: 0, msg: 'the gate is open', at: call.gate });
    expect(await runs()).toMatch(new RegExp(`${runId}: gated [^,]*, succeeded`));
  });
  await Promise.all(following);
});
