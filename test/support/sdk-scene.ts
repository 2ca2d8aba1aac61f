import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { someFiles, writeFiles } from './model-caches.ts';
import { testPath } from './needs.ts';
import { bash } from './scripts.ts';
import { openWarmService, type WarmService } from './warm-service.ts';

/** A service with scripts to link and a model, for scripts that use the SDK. */
export interface SdkService extends WarmService {
  /** A node that returns its input. */
  readonly child: string;
  /** A node that fails with a message. */
  readonly failing: string;
  /** A script that is not a node. */
  readonly hidden: string;
  readonly modelFolder: string;
}

const input = '[[service.inputs]]\nname = "文件"\ntype = "list"\n';
const params = '[[service.params]]\nname = "quality"\ntype = "int"\ndefault = 85\n';

export async function openSdkService(): Promise<SdkService> {
  const service = await openWarmService('warm_memory_mb = 4000\n');
  const modelFolder = join(service.hob.home, 'models', 'owner', 'name');
  await writeFiles(modelFolder, someFiles);
  const child = await service.add('子 脚本', {
    node: true,
    entry: bash('echo 子 says; printf \'{"code":0,"msg":"子 ok","given":%s}\' "$(cat "$1")" > "$output"'),
    tables: input + params,
  });
  const failing = await service.add('failing', {
    node: true,
    entry: bash('printf \'{"code":7,"msg":"坏了"}\' > "$output"; exit 3'),
  });
  const hidden = await service.add('hidden', {});
  return { ...service, child, failing, hidden, modelFolder };
}

/** Runs a script without Hob, as a person starts it. */
export function runAlone(
  [program = '', ...args]: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(program, args, { cwd, env: { PATH: testPath, ...env }, stdio: 'pipe' });
  child.stdin.end();
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += String(chunk);
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...output })));
}
