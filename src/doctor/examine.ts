import { errnoOf } from '../shared/errors.ts';
import type { Text } from '../shared/text.ts';
import { checkDesktop, checkTerminals } from './checks/check-desktop.ts';
import { checkEnvironments } from './checks/check-environments.ts';
import { checkDatabase, checkDisk, checkHome, checkSettings } from './checks/check-home.ts';
import { checkOutgoing } from './checks/check-outgoing.ts';
import { checkPackages } from './checks/check-packages.ts';
import { checkNeeds, checkRuntimes, checkScripts } from './checks/check-scripts.ts';
import { checkPort, checkService, checkToken, checkWarm } from './checks/check-service.ts';
import { checkPython, checkTools, checkVersions } from './checks/check-tools.ts';
import { checkTriggers } from './checks/check-triggers.ts';
import type { DoctorContext } from './doctor-context.ts';
import { type Area, type Finding, note, problem, type Results } from './finding.ts';

/** A check changes nothing, and releases its resources when the signal aborts. */
export interface Check {
  readonly area: Area;
  /** Name of the checked thing, for the message about a failed check. */
  readonly subject: Text;
  look(context: DoctorContext, signal: AbortSignal): Promise<Results>;
}

const allChecks: readonly Check[] = [
  { area: 'hob', subject: { en: 'the versions', zh: '版本' }, look: checkVersions },
  { area: 'home', subject: { en: 'the home', zh: '数据目录' }, look: checkHome },
  { area: 'home', subject: { en: 'the disk', zh: '磁盘' }, look: checkDisk },
  { area: 'home', subject: { en: 'the database', zh: '数据库' }, look: checkDatabase },
  { area: 'settings', subject: { en: 'the settings', zh: '设置' }, look: checkSettings },
  { area: 'service', subject: { en: 'the service', zh: '服务' }, look: checkService },
  { area: 'service', subject: { en: 'warm interpreters', zh: '预热的解释器' }, look: checkWarm },
  { area: 'service', subject: { en: 'the port', zh: '端口' }, look: checkPort },
  { area: 'service', subject: { en: 'the token', zh: '令牌' }, look: checkToken },
  { area: 'service', subject: { en: 'notifications to a URL', zh: '发送通知的网址' }, look: checkOutgoing },
  { area: 'runtimes', subject: { en: 'the runtimes', zh: '语言运行时' }, look: checkRuntimes },
  { area: 'tools', subject: { en: 'the Python modules', zh: ' Python 模块' }, look: checkPython },
  { area: 'tools', subject: { en: 'the tools', zh: '工具' }, look: checkTools },
  { area: 'desktop', subject: { en: 'notifications', zh: '通知' }, look: checkDesktop },
  { area: 'desktop', subject: { en: 'terminals', zh: '终端窗口' }, look: checkTerminals },
  { area: 'scripts', subject: { en: 'the scripts', zh: '脚本' }, look: checkScripts },
  { area: 'scripts', subject: { en: 'the requirements of scripts', zh: '脚本的需求' }, look: checkNeeds },
  { area: 'triggers', subject: { en: 'the triggers', zh: '触发器' }, look: checkTriggers },
  { area: 'packages', subject: { en: 'the packages', zh: '脚本包' }, look: checkPackages },
  { area: 'environments', subject: { en: 'the environments', zh: '运行环境' }, look: checkEnvironments },
];

/** An interpreter shim on a cold disk takes one or two seconds. A check that takes longer than this hangs. */
const limitMs = 5000;

/** Runs all checks in parallel. A check that fails or takes too long becomes a finding. */
export async function examine(
  context: DoctorContext,
  { checks = allChecks, withinMs = limitMs }: { checks?: readonly Check[]; withinMs?: number } = {},
): Promise<Finding[]> {
  const findings = checks.map(async (check) => {
    const results = [await runCheck(check, context, withinMs)].flat();
    return results.map((result) => ({ area: check.area, ...result }));
  });
  return (await Promise.all(findings)).flat();
}

async function runCheck(
  { subject, look }: Check,
  context: DoctorContext,
  withinMs: number,
): Promise<Results> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<Results>((resolve) => {
    timer = setTimeout(() => {
      controller.abort();
      // Not a problem yet: the machine may just be busy.
      resolve(note(timedOut(subject, withinMs / 1000), checkAgain));
    }, withinMs);
  });
  try {
    return await Promise.race([look(context, controller.signal), tooLong]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const what = {
      en: `Failed to check ${subject.en} (${reason})`,
      zh: `检查${subject.zh}时失败（${reason}）`,
    };
    return problem(what, errnoOf(error) === undefined ? reportIt : makeReadable);
  } finally {
    clearTimeout(timer);
  }
}

function timedOut(subject: Text, seconds: number): Text {
  return {
    en: `The check of ${subject.en} took longer than ${seconds} s and was aborted`,
    zh: `检查${subject.zh}超过 ${seconds} 秒，已放弃`,
  };
}

const checkAgain: Text = {
  en: 'Run the check again when the machine is less busy. If the problem persists, a disk or a program hangs.',
  zh: '请在电脑不忙时再检查一次；如果仍然如此，说明磁盘或某个程序卡住了。',
};
const reportIt: Text = {
  en: 'If the problem persists, it is a defect in Hob: please report it.',
  zh: '如果一直如此，这是 Hob 的缺陷，请反馈给我们。',
};
const makeReadable: Text = {
  en: 'Make sure that you have permission to read it, or choose another home with --home.',
  zh: '请确认有读取权限，或用 --home 指定其他数据目录。',
};
