import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { Hob } from '../support/hob.ts';
import { tempFolder } from '../support/hob.ts';
import { startRestartable } from '../support/restartable.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const newest = '2026-07-28';
const accept = { accept: 'application/json, text/event-stream' };
const clientInfo = { name: 'a test', version: '1' };

/** The result in an answer, which is JSON or a stream of events. */
async function resultOf(answer: Response): Promise<Record<string, unknown>> {
  const text = await answer.text();
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  const message = JSON.parse(lines.at(-1)?.slice('data: '.length) ?? text);
  return message.result;
}

function post(hob: Hob, message: Record<string, unknown>, headers: Record<string, string>) {
  return fetch(`${hob.url}/mcp`, {
    method: 'POST',
    headers: { ...accept, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

/** Calls a tool with the protocol of 2026, in which each request stands for itself. */
async function callStateless(hob: Hob, name: string, args: Record<string, unknown>) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = { id: 1, method: 'tools/call', params: { name, arguments: args, _meta } };
  const headers = { 'mcp-protocol-version': newest, 'mcp-method': 'tools/call', 'mcp-name': name };
  return resultOf(await post(hob, message, headers));
}

/** Calls a tool in a new session of the protocol of 2025. */
async function callInSession(hob: Hob, name: string, args: Record<string, unknown>) {
  const protocolVersion = '2025-11-25';
  const params = { protocolVersion, clientInfo, capabilities: {} };
  const begun = await post(hob, { id: 0, method: 'initialize', params }, {});
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  await begun.text();
  await post(hob, { method: 'notifications/initialized' }, session);
  const message = { id: 1, method: 'tools/call', params: { name, arguments: args } };
  return resultOf(await post(hob, message, session));
}

it.each([
  ['2026', callStateless],
  ['2025', callInSession],
])('answers a call of %s before the service stops, and its run continues', async (_era, call) => {
  const scripts = await tempFolder();
  const release = join(scripts, 'release');
  const entry = bash(`
echo begun
until [ -e "${release}" ]; do sleep 0.05; done
echo '{"code":0,"msg":"done after the restart"}' > "$output"
`);
  await writeScript(scripts, 'patient', { entry });
  const service = await startRestartable({ scripts: [scripts] });
  const answering = call(service.hob, 'patient', {});
  const openRuns = async () =>
    (await service.hob.get('/api/runs?state=running')).body.items as { run_id: string }[];
  await until('the run has begun', async () => (await openRuns()).length === 1);
  const [run] = await openRuns();

  await service.restart();
  const answer = await answering;
  expect(answer).toMatchObject({ structuredContent: { run_id: run?.run_id } });
  expect(JSON.stringify(answer.content)).toContain('hob_wait');
  expect(answer).not.toHaveProperty('isError', true);

  const waiting = call(service.hob, 'hob_wait', { run_id: run?.run_id });
  await writeFile(release, '');
  expect(await waiting).toMatchObject({ structuredContent: { code: 0, msg: 'done after the restart' } });
});
