import { rm, writeFile } from 'node:fs/promises';

import { errnoOf } from '../../shared/errors.ts';
import { replacePrivateFile } from '../../shared/private-files.ts';
import type { Text } from '../../shared/text.ts';
import { build } from './build.ts';
import { readOrder } from './build-order.ts';
import { BuildFailure } from './explain-failure.ts';
import { failurePath } from './layout.ts';

/**
 * Entry of the program that builds an environment: a normal script, started with the path of its parameter file. Its output is the
 * log of the build, and its envelope is the result.
 */
async function main([parameterFile = '']: readonly string[]): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const say = (line: string) => {
    process.stdout.write(`${line}\n`);
  };
  const { order, outputJson } = await readOrder(parameterFile);
  const noteOfFailure = failurePath(order.environment);
  try {
    await rm(noteOfFailure, { force: true });
    await build(order, { env: process.env, signal: stopping.signal, say });
    await writeFile(
      outputJson,
      JSON.stringify({ code: 0, msg: `The environment of ${order.script_name} is ready` }),
    );
  } catch (error) {
    process.exitCode = 1;
    const text = stopping.signal.aborted ? stopped : describe(error);
    process.stderr.write(`${text.en}\n`);
    // On a full disk, only the envelope reports the reason.
    await replacePrivateFile(noteOfFailure, JSON.stringify(text)).catch(() => {});
    await writeFile(outputJson, JSON.stringify({ code: 1, msg: text.en }));
  }
}

const stopped: Text = {
  en: 'The build was interrupted. The next run starts it again.',
  zh: '构建在完成前被停止，下次运行时会重新开始。',
};

function describe(error: unknown): Text {
  if (error instanceof BuildFailure) return error.text;
  if (errnoOf(error) === 'ENOSPC') {
    return {
      en: 'The disk is full. Free some space and run the script again.',
      zh: '磁盘空间不足，请清理后重试。',
    };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { en: `The build failed: ${reason}`, zh: `构建失败：${reason}` };
}

await main(process.argv.slice(2));
