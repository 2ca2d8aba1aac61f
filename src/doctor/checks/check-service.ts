import { isJsonObject, type Json } from '../../shared/json.ts';
import type { Text } from '../../shared/text.ts';
import { readVersion } from '../../shared/version.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, note, ok, problem } from '../finding.ts';
import { askHealth } from './ask-health.ts';

const notRunning: Text = { en: 'Hob is not running', zh: 'Hob 未运行' };
const startIt: Text = { en: 'Start it: hob start', zh: '启动它：hob start' };
const strangeAnswer: Text = { en: 'the response does not come from Hob', zh: '应答不是来自 Hob' };
const containments: Readonly<Record<string, Text>> = {
  cgroup: {
    en: 'Hob tracks the processes of scripts with cgroups, so stopping a run leaves none behind',
    zh: '脚本的进程由 cgroup 统一管理，停止运行时不会有残留',
  },
  sweep: {
    en: 'Hob finds the processes of scripts by group, session and descent, because cgroups are not available here',
    zh: '脚本的进程按进程组、会话和父子关系查找：这里无法使用 cgroup',
  },
};

/** Checks that the service of this home is running, responds, and has the version of this command. */
export async function checkService(
  { home, service }: DoctorContext,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (service === null) return [note('service', notRunning, startIt)];
  const { pid, url, version } = service;
  const health = await askHealth(url, service.token ? home : null, signal);
  if (health.kind === 'silent' || health.kind === 'stranger') {
    const reason = health.kind === 'silent' ? health.reason : strangeAnswer;
    return [
      problem(
        'service',
        {
          en: `Hob (process ${pid}) does not respond at ${url} (${reason.en})`,
          zh: `Hob（进程 ${pid}）在 ${url} 没有响应（${reason.zh}）`,
        },
        {
          en: `End it with kill ${pid} (if that has no effect: kill -9 ${pid}), then start it again: hob start. Running scripts continue.`,
          zh: `请结束它：kill ${pid}（如果无效：kill -9 ${pid}），然后重新启动：hob start。正在运行的脚本不受影响。`,
        },
      ),
    ];
  }
  const findings: Finding[] = [];
  if (version === readVersion())
    findings.push(
      ok('service', {
        en: `Hob ${version} is running at ${url} (process ${pid})`,
        zh: `Hob ${version} 正在 ${url} 提供服务（进程 ${pid}）`,
      }),
    );
  else
    findings.push(
      note(
        'service',
        {
          en: `Hob ${version} is running at ${url} (process ${pid}), but this command has version ${readVersion()}`,
          zh: `正在 ${url} 提供服务的是 Hob ${version}（进程 ${pid}），而此命令的版本是 ${readVersion()}`,
        },
        {
          en: 'Restart the service, so that both have the same version: hob stop, then hob start',
          zh: '请重启服务，使两者版本一致：先 hob stop，再 hob start',
        },
      ),
    );
  if (health.kind === 'asks-for-token')
    return [
      ...findings,
      problem(
        'service',
        { en: 'The service rejects the token of this home', zh: '服务不接受此数据目录的令牌' },
        { en: 'Create a new one: hob token --renew', zh: '请重新生成：hob token --renew' },
      ),
    ];
  findings.push(...judgeExecutor(health.answer.executor));
  const containment = containments[String(health.answer.containment)];
  return containment === undefined ? findings : [...findings, ok('service', containment)];
}

/** Judges `executor` in the health response. Older services do not send it. */
export function judgeExecutor(executor: Json | undefined): Finding[] {
  if (!isJsonObject(executor) || !Array.isArray(executor.silent_pids)) return [];
  return executor.silent_pids.map((pid) => {
    const takesRuns = pid === executor.pid;
    const effect: Text = takesRuns
      ? {
          en: 'synchronous calls are refused, and other runs stay queued',
          zh: '同步调用会被拒绝，其他运行保持排队',
        }
      : { en: 'its runs cannot finish', zh: '由它执行的运行无法结束' };
    const replaced: Text = takesRuns
      ? { en: 'Hob then starts another executor, and the', zh: 'Hob 会启动新的执行进程，' }
      : { en: 'The', zh: '' };
    return problem(
      'service',
      {
        en: `The executor (process ${pid}), which runs scripts, does not respond: ${effect.en}`,
        zh: `脚本执行进程（进程 ${pid}）没有响应：${effect.zh}`,
      },
      {
        en: `If it was suspended, resume it: kill -CONT ${pid}. If it hangs, end it: kill -9 ${pid}. ${replaced.en} runs of this executor end as lost.`,
        zh: `如果它被暂停，请让它继续：kill -CONT ${pid}。如果它已挂起，请结束它：kill -9 ${pid}，${replaced.zh}由它执行的运行记为 lost。`,
      },
    );
  });
}
