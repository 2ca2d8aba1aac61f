import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { errnoOf } from '../../shared/errors.ts';
import { runCommand } from '../../shared/run-command.ts';
import type { ServiceInfo } from '../../shared/service-file.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { printJson } from '../terminal/print-json.ts';
import { UserError } from '../user-error.ts';
import { callTools, commandLine } from './call-tools.ts';
import { findPlatform } from './find-platform.ts';
import type { Platform } from './login-service.ts';

export interface ServiceOptions {
  home?: string;
  dryRun?: boolean;
  json?: boolean;
}

const startsWithinMs = 20_000;
const pollMs = 100;

/** `hob service install`: starts Hob now and at every login. */
export async function installService({ home: flag, dryRun, json }: ServiceOptions): Promise<void> {
  const { home, service } = await findService(flag);
  const platform = findPlatform(home);
  if (dryRun === true) {
    if (json === true) printJson({ installed: false, file: platform.file, text: platform.text });
    else process.stdout.write(describeInstallation(platform));
    return;
  }
  const fault = await platform.fault();
  if (fault !== null) throw new UserError(`${fault}\n${tr('Nothing was installed.', '没有安装任何东西。')}`);
  const wasActive = (await runCommand(platform.isActive.tool, platform.isActive.args)).ok;
  if (service !== null && !wasActive)
    throw new UserError(
      tr(
        `Hob is already running (process ${service.pid}), but was not started by the login service. Stop it first, then try again: hob stop`,
        `Hob 已在运行（进程 ${service.pid}），不是由登录服务启动的。请先停止它再重试：hob stop`,
      ),
    );
  await writeInOneStep(platform);
  await callTools(platform.onInstall);
  const started = await untilStarted(flag);
  if (json === true) return printJson({ installed: true, file: platform.file, url: started?.url ?? null });
  const advice = await platform.advice();
  const lines = [
    tr(`Installed: ${platform.file}`, `已安装：${platform.file}`),
    started === null
      ? tr(
          `Hob was started but does not respond yet. To find the cause: ${platform.diagnosisCommand}`,
          `已经启动，但还没有响应。查看原因：${platform.diagnosisCommand}`,
        )
      : tr(
          `Hob ${started.version} is running at ${started.url} and starts at every login.`,
          `Hob ${started.version} 正在 ${started.url} 运行，登录时会自动启动。`,
        ),
    ...(advice === null ? [] : [advice]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function describeInstallation({ file, text, onInstall }: Platform): string {
  const lines = text.replace('\ufeff', '').trimEnd().split('\n');
  return [
    tr(`Would write ${file}:`, `将写入 ${file}：`),
    ...lines.map((line) => `  ${line}`.trimEnd()),
    tr('Would run:', '将运行：'),
    ...onInstall.map((call) => `  ${commandLine(call)}`),
    '',
  ].join('\n');
}

/** Writes the file atomically: a reader sees either the old or the new text. */
async function writeInOneStep({ file, text, encoding }: Platform): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(draft, text, { encoding, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw new UserError(
      tr(
        `Cannot write ${file} (${errno}). Check the permissions of the folder.`,
        `无法写入 ${file}（${errno}）。请检查文件夹权限。`,
      ),
    );
  }
}

async function untilStarted(home: string | undefined): Promise<ServiceInfo | null> {
  const deadline = performance.now() + startsWithinMs;
  while (performance.now() < deadline) {
    const { service } = await findService(home);
    if (service !== null) return service;
    await wait(pollMs);
  }
  return null;
}
