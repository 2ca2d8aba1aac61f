import { homedir } from 'node:os';
import { sep } from 'node:path';

import type { Text } from '../../shared/text.ts';
import type { FolderTrigger, TriggerProblem } from '../trigger.ts';
import { relationTo } from './scope.ts';

/** A file that could not be moved into a folder. */
export interface Stuck {
  readonly path: string;
  readonly folder: string;
  readonly errno: string;
}

/** When a folder trigger fires, in words. */
export function folderWords(trigger: FolderTrigger): Text {
  const { filters, path, recursive, settleMs, batchMs, after } = trigger;
  const place = shortPath(path);
  const settle = durationWords(settleMs);
  const en = [
    filters.length === 0 ? 'Files' : `Files with ${filters.join(', ')}`,
    ` that arrive in ${place}${recursive ? ' or its subfolders' : ''}`,
    settleMs === 0 ? ', once complete' : `, once complete for ${settle.en}`,
  ];
  const zh = [
    `${place}${recursive ? ' 及其子文件夹' : ''} 中新到的${filters.length === 0 ? '' : ` ${filters.join('、')} `}文件`,
    settleMs === 0 ? '，写入完成后' : `，写入完成并保持 ${settle.zh}不变后`,
  ];
  if (batchMs !== null) {
    const batch = durationWords(batchMs);
    en.push(`; those complete within ${batch.en} share a run`);
    zh.push(`；${batch.zh}内完成的文件合并为一次运行`);
  }
  if (after === 'move') {
    en.push('; afterwards moved to done or failed');
    zh.push('；运行后移到 done 或 failed');
  }
  return { en: en.join(''), zh: zh.join('') };
}

export function shortPath(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}

const units = [
  { ms: 3_600_000, en: 'h', zh: '小时' },
  { ms: 60_000, en: 'min', zh: '分钟' },
  { ms: 1000, en: 's', zh: '秒' },
  { ms: 1, en: 'ms', zh: '毫秒' },
] as const;

function durationWords(ms: number): Text {
  const unit = units.find((each) => ms !== 0 && ms % each.ms === 0) ?? units[2];
  return { en: `${ms / unit.ms} ${unit.en}`, zh: `${ms / unit.ms} ${unit.zh}` };
}

/** Why a trigger would start itself; null if it would not. Each run writes in the home. */
export function homeProblem(trigger: FolderTrigger, homePaths: readonly string[]): TriggerProblem | null {
  const found = homePaths.map((home) => ({ home, relation: relationTo(home, trigger) }));
  const { home = '', relation = null } = found.find((one) => one.relation !== null) ?? {};
  if (relation === null) return null;
  const [place, own] = [shortPath(trigger.path), shortPath(home)];
  if (relation === 'inside')
    return {
      field: 'path',
      message: {
        en: `${place} belongs to Hob, which writes there on each run, so the trigger would start itself`,
        zh: `${place} 属于 Hob 自己的文件夹，每次运行都会写入，触发器会不断触发自己`,
      },
      advice: { en: `Choose a folder outside ${own}.`, zh: `请选择 ${own} 之外的文件夹。` },
    };
  return {
    field: 'path',
    message: {
      en: `${place} contains ${own}, where Hob writes on each run, so the trigger would start itself`,
      zh: `${place} 包含 Hob 自己的文件夹 ${own}，每次运行都会写入，触发器会不断触发自己`,
    },
    advice: {
      en: 'Choose a smaller folder, or set recursive = false.',
      zh: '请选择范围更小的文件夹，或设为 recursive = false。',
    },
  };
}

/** Why the folder cannot be watched. `errno` is that of the system, or ENOTDIR. */
export function folderProblem(path: string, errno: string): TriggerProblem {
  const place = shortPath(path);
  const problem = (message: Text, advice: Text) => ({ field: 'path', message, advice });
  switch (errno) {
    case 'ENOENT':
      return problem(
        { en: `The folder ${place} does not exist yet`, zh: `文件夹 ${place} 尚不存在` },
        {
          en: 'Hob starts as soon as it appears. Create it, or correct path.',
          zh: '文件夹出现后 Hob 会自动开始。请创建该文件夹，或修正 path。',
        },
      );
    case 'ENOTDIR':
      return problem(
        { en: `${place} is not a folder`, zh: `${place} 不是文件夹` },
        { en: 'Set path to a folder.', zh: '请将 path 设为文件夹。' },
      );
    case 'EACCES':
    case 'EPERM':
      return problem(
        { en: `Hob may not read the folder ${place}`, zh: `Hob 无权读取文件夹 ${place}` },
        {
          en: 'Give your user the right to read it. Hob tries again every few seconds.',
          zh: '请为当前用户授予读取权限。Hob 每隔几秒会重试。',
        },
      );
    default:
      return problem(
        { en: `The folder ${place} cannot be read (${errno})`, zh: `无法读取文件夹 ${place}（${errno}）` },
        {
          en: 'Check the disk or the network. Hob tries again every few seconds.',
          zh: '请检查磁盘或网络。Hob 每隔几秒会重试。',
        },
      );
  }
}

/** The database cannot be read. */
export function recordsProblem(error: string): TriggerProblem {
  return {
    field: null,
    message: {
      en: `Hob cannot read its records of this trigger (${error})`,
      zh: `Hob 无法读取此触发器的记录（${error}）`,
    },
    advice: {
      en: 'Check the disk. Hob tries again every few seconds.',
      zh: '请检查磁盘。Hob 每隔几秒会重试。',
    },
  };
}

/** A subfolder that cannot be read. */
export function subfolderProblem(path: string, errno: string): TriggerProblem {
  return {
    ...folderProblem(path, errno),
    message: {
      en: `Hob cannot read ${shortPath(path)} (${errno}), so its files are left out`,
      zh: `Hob 无法读取 ${shortPath(path)}（${errno}），其中的文件不会被处理`,
    },
  };
}

export function heldProblem(path: string, pid: string): TriggerProblem {
  return {
    field: null,
    message: {
      en: `${shortPath(path)} waits because the process ${pid} still has it open for writing`,
      zh: `${shortPath(path)} 仍被进程 ${pid} 打开写入，正在等待`,
    },
    advice: {
      en: 'Close the file in that program. Hob starts the run then.',
      zh: '请在该程序中关闭此文件，随后 Hob 会启动运行。',
    },
  };
}

export function watchProblem(errno: string): TriggerProblem {
  if (errno !== 'ENOSPC' && errno !== 'EMFILE')
    return {
      field: 'path',
      message: {
        en: `The system does not report changes in the folder (${errno}); Hob looks every few seconds instead`,
        zh: `系统无法报告该文件夹的变化（${errno}），Hob 改为每隔几秒检查一次`,
      },
      advice: { en: 'Arrivals are found, only later.', zh: '新文件仍会被发现，只是稍晚一些。' },
    };
  return {
    field: 'path',
    message: {
      en: `The system allows no more folder watches (${errno}); Hob looks every few seconds instead`,
      zh: `系统不允许监视更多文件夹（${errno}），Hob 改为每隔几秒检查一次`,
    },
    advice: {
      en: 'On Linux, raise fs.inotify.max_user_watches with sysctl.',
      zh: '在 Linux 上可用 sysctl 调大 fs.inotify.max_user_watches。',
    },
  };
}

/** Why a file cannot be moved into this folder. */
export function moveProblem({ path, folder, errno }: Stuck): TriggerProblem {
  const message = {
    en: `${shortPath(path)} cannot be moved after its run (${errno})`,
    zh: `运行后无法移动 ${shortPath(path)}（${errno}）`,
  };
  const again = {
    en: 'Hob tries again every minute, and does not process the file again.',
    zh: 'Hob 每分钟会重试，且不会再次处理该文件。',
  };
  const place = shortPath(folder);
  const step =
    errno === 'ENOTDIR'
      ? {
          en: `${place} is not a folder. Rename or remove it.`,
          zh: `${place} 不是文件夹，请将其改名或删除。`,
        }
      : {
          en: 'Check that the folder is writable and the disk is not full.',
          zh: '请检查文件夹是否可写、磁盘是否已满。',
        };
  return {
    field: 'after',
    message,
    advice: { en: `${step.en} ${again.en}`, zh: `${step.zh}${again.zh}` },
  };
}

/** Two triggers take the same files, and one of them moves the files away. */
export function sharedProblem(otherId: string): TriggerProblem {
  return {
    field: 'after',
    message: {
      en: `The trigger "${otherId}" takes files of the same folder, and after = "move" may move a file away before the run of the other trigger has read it`,
      zh: `触发器“${otherId}”也处理同一文件夹中的文件，而 after = "move" 可能在另一触发器的运行读取之前移走文件`,
    },
    advice: {
      en: 'Set after = "leave" for both, or give them filters or folders that share no file.',
      zh: '请将两者都设为 after = "leave"，或用 filters 或不同的文件夹使它们不处理相同的文件。',
    },
  };
}

export function failuresNotice(path: string, count: number): Text {
  return {
    en: `The last ${count} runs for files in ${shortPath(path)} failed. To see why: hob runs`,
    zh: `${shortPath(path)} 中的文件最近 ${count} 次运行均失败。可用 hob runs 查看原因。`,
  };
}

export function problemNotice({ message, advice }: TriggerProblem): Text {
  return { en: `${message.en}. ${advice.en}`, zh: `${message.zh}。${advice.zh}` };
}

export function changedByRunNotice(path: string, count: number): Text {
  return {
    en: `${shortPath(path)} changed during ${count} runs in a row, so Hob does not process it again. Let the script write its result to another place.`,
    zh: `${shortPath(path)} 连续 ${count} 次在运行期间被修改，Hob 不再处理它。请让脚本把结果写到其他位置。`,
  };
}

export function notUtf8Notice(path: string): Text {
  return {
    en: `Hob cannot pass ${shortPath(path)} to a script: its name is not valid UTF-8. Rename the file.`,
    zh: `文件名不是有效的 UTF-8，Hob 无法将 ${shortPath(path)} 交给脚本。请重命名该文件。`,
  };
}
