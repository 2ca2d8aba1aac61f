import type { Problem, Script } from '../../scripts/script.ts';
import { AppError, errnoOf, isExhaustion } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import { refusal } from '../fetch/package-errors.ts';

export function notInstalled(id: string): AppError {
  const given = id.slice(0, 100);
  return refusal(
    'package-not-installed',
    { en: `The package ${given} is not installed`, zh: `未安装脚本包: ${given}` },
    {
      en: 'GET /api/packages lists the installed packages. Scripts in a script folder are not packages.',
      zh: 'GET /api/packages 列出已安装的脚本包。脚本文件夹中的脚本不是脚本包。',
    },
  );
}

export function installedAlready({ id, name }: { id: string; name: string }): AppError {
  return refusal(
    'package-installed',
    { en: `${name} is already installed`, zh: `${name} 已安装` },
    {
      en: `To replace it with another version, run: hob update ${id} --from <source>`,
      zh: `使用 hob update ${id} --from <来源> 更换版本。`,
    },
  );
}

export function usedElsewhere(id: string, other: Script | null): AppError {
  const where = { en: other?.folder ?? 'Another folder', zh: other?.folder ?? '其他文件夹' };
  return refusal(
    'package-installed',
    { en: `${where.en} already has a script with the id ${id}`, zh: `${where.zh} 中已有 id 为 ${id} 的脚本` },
    {
      en: 'Two scripts with the same id cannot run. Remove that folder first, or change the id of one of them.',
      zh: 'id 相同的两个脚本都无法运行。请先删除该文件夹，或修改其中一个的 id。',
    },
  );
}

export function busy(id: string): AppError {
  return refusal(
    'package-busy',
    { en: `Another operation on the script ${id} is in progress`, zh: `脚本 ${id} 正在处理中` },
    {
      en: 'GET /api/package-operations lists it. Wait for its end, or cancel it.',
      zh: 'GET /api/package-operations 列出正在进行的操作，请等待其结束或取消。',
    },
  );
}

export function tooMany(most: number): AppError {
  return new AppError(
    'package-busy',
    {
      en: `Too many package operations: ${most} are in progress or waiting. Try again later.`,
      zh: `已有 ${most} 个操作正在进行或等待，暂不接受新的操作。`,
    },
    { retryAfterS: 60 },
  );
}

export function broken(problems: readonly Problem[]): AppError {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const more = errors.length - 1;
  const also = more > 0 ? { en: `, and ${more} more`, zh: `，另有 ${more} 个问题` } : { en: '', zh: '' };
  const what: Text =
    first === undefined
      ? { en: 'It contains no script', zh: '其中没有脚本' }
      : {
          en: `${placeOf(first)}: ${first.message.en}${also.en}`,
          zh: `${placeOf(first)}：${first.message.zh}${also.zh}`,
        };
  return refusal(
    'package-broken',
    { en: `The package cannot be installed. ${what.en}`, zh: `无法安装脚本包。${what.zh}` },
    { en: '`hob check <folder>` lists all its problems.', zh: 'hob check <文件夹> 列出所有问题。' },
  );
}

export function otherScript(id: string, found: { id: string; name: string }): AppError {
  return refusal(
    'package-broken',
    {
      en: `This source contains a different script: its id is ${found.id} (${found.name}), not ${id}`,
      zh: `该来源是另一个脚本: 其 id 为 ${found.id}（${found.name}），而不是 ${id}`,
    },
    {
      en: 'Install it as a separate script, or specify the source of the script to update.',
      zh: '请将其作为新脚本安装，或给出要更新的脚本的来源。',
    },
  );
}

export function noPrevious({ isDamaged }: { isDamaged: boolean }): AppError {
  return refusal(
    'package-no-previous',
    isDamaged
      ? {
          en: 'The record of this package is damaged, so its earlier version is unknown',
          zh: '该脚本包的安装记录已损坏，无法得知旧版本',
        }
      : { en: 'Hob has no earlier version of this package', zh: '没有保留该脚本包的旧版本' },
    {
      en: 'To replace it with another version, run hob update with --from and a source.',
      zh: '可使用 hob update 并以 --from 指定来源更换版本。',
    },
  );
}

export function sourceNotKnown(id: string): AppError {
  return refusal(
    'package-source-invalid',
    {
      en: `The record of the package ${id} is damaged, so its source is unknown`,
      zh: `脚本包 ${id} 的安装记录已损坏，无法得知其来源`,
    },
    { en: 'Specify the source.', zh: '请指定来源。' },
  );
}

export function notPrepared(message: Text, runId: string | null): AppError {
  const hint = {
    en: `To see the log, open /runs/${runId} of the service in a browser.`,
    zh: `可在浏览器中打开服务的 /runs/${runId} 查看日志。`,
  };
  return new AppError('environment-failed', message, runId === null ? {} : { hint });
}

export function notTaken(): AppError {
  return new AppError('package-broken', {
    en: 'The new version cannot be read after the installation, so the previous version stays in place',
    zh: '新版本就位后无法读取，已保留原有版本',
  });
}

export function unknownScript(id: string): AppError {
  const given = id.slice(0, 100);
  return refusal(
    'script-unknown',
    { en: `No such script: ${given}`, zh: `脚本不存在: ${given}` },
    {
      en: 'GET /api/scripts lists all scripts and problems.',
      zh: 'GET /api/scripts 列出所有脚本及问题。',
    },
  );
}

export function stopping(): AppError {
  return new AppError('service-stopping', {
    en: 'The service is stopping and accepts no new operations.',
    zh: '服务正在停止，不再开始新的操作。',
  });
}

/** Converts an error for the caller; null for a defect. */
export function refusalOf(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  const errno = errnoOf(error);
  if (!isExhaustion(errno)) return null;
  return new AppError(
    'resources-exhausted',
    {
      en: `The machine is out of disk space or another resource (${errno}). Nothing was changed.`,
      zh: `磁盘空间或其他系统资源已耗尽（${errno}），未做任何更改。`,
    },
    {
      cause: error,
      retryAfterS: 5,
      hint: { en: 'Free some space, then try again.', zh: '请腾出空间后重试。' },
    },
  );
}

export function placeOf({ file, line }: Problem): string {
  return line === null ? file : `${file}:${line}`;
}
