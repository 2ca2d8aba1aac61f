import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { projectRoot, tempFolder } from '../support/hob.ts';
import { newestClient } from '../support/mcp-clients.ts';
import { npmProgram } from '../support/mcp-suites.ts';
import { shareService } from '../support/shared-service.ts';

const suite = npmProgram('@modelcontextprotocol/conformance', 'dist', 'index.js');
const service = shareService();

/** The suite fails for a failure that is not in this file, and for one that is in it and passes. */
const expectedFailures = join(projectRoot, 'test', 'mcp', 'expected-failures.yml');

/** The tools that the suite calls, as far as a script can be one of them. */
const fixtures = {
  test_simple_text: 'echo This is a simple text response for testing.',
  test_error_handling: 'echo This tool intentionally returns an error for testing >&2; exit 1',
  test_tool_with_progress: 'for step in 0 0.5 1; do hob progress "$step"; done',
};

async function runSuite(...args: string[]): Promise<void> {
  const url = `${service.hob.url}/mcp`;
  const files = ['--expected-failures', expectedFailures, '--output-dir', await tempFolder()];
  const { code, stdout, stderr } = await suite.run(['server', '--url', url, ...files, ...args]);
  const report = stdout.slice(Math.max(0, stdout.lastIndexOf('=== SUMMARY ===')));
  expect(report + stderr).toContain('Baseline check passed');
  expect(code).toBe(0);
}

/** Starts a run, and lets the description of a tool change again and again until the end of the test. */
async function keepServiceBusy(): Promise<void> {
  const id = await service.add('sometimes-asked');
  let asks = false;
  const change = async () => {
    asks = !asks;
    await service.hob.send('PUT', `/api/agents/scripts/${id}`, JSON.stringify({ asks }));
  };
  // Each announcement of a change causes the next change.
  const agent = await newestClient('HTTP').connect(service.hob, () => void change());
  await agent.call('test_simple_text');
  await change();
}

describe.runIf(suite.isHere)('the conformance suite of the protocol', () => {
  beforeAll(async () => {
    for (const [name, text] of Object.entries(fixtures))
      await service.add(name, { entry: ['main.sh', text], tables: `[service.mcp]\nname = "${name}"` });
  });

  it('passes what 2026-07-28 requires', async () => {
    // The suite waits for a change of the tools, and reads the first resource, which is a run.
    await keepServiceBusy();
    await runSuite('--requirements', '2026-07-28');
  });

  it('passes what 2025-11-25 requires', () => runSuite('--requirements', '2025-11-25'));

  // The suite runs these with the requirements, and does not count them.
  it.each([
    ['http-header-validation', '2026-07-28'],
    ['server-session-lifecycle', '2025-11-25'],
  ])('passes %s of %s', (scenario, version) => runSuite('--scenario', scenario, '--spec-version', version));
});
