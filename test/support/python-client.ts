import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { projectRoot } from './hob.ts';

/** Runs a Python program that uses the client. `hob` in it is a client of this home. Returns what it prints. */
export async function runPythonClient(home: string, body: string): Promise<string> {
  const program = `import json, sys\nfrom hob.client import CallError, Hob\nhob = Hob(home=${JSON.stringify(home)})\n${body}`;
  const env = { ...process.env, PYTHONPATH: join(projectRoot, 'sdk', 'python'), PYTHONUTF8: '1' };
  const child = spawn('python3', ['-c', program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  if (code !== 0) throw new Error(`python3 exited with ${code}: ${stderr}`);
  return stdout;
}
