import { createServer } from 'node:net';
import { basename } from 'node:path';

import { formatBytes } from '../../contract/quantities.ts';
import { inUrl, isLoopback } from '../../shared/addresses.ts';
import { errnoOf } from '../../shared/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import type { Language, Text } from '../../shared/text.ts';
import { readToken, TokenError, tokenFileOf } from '../../shared/token-file.ts';
import { readVersion } from '../../shared/version.ts';
import { askService, type Reply } from '../ask-service.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { nameSome, note, ok, problem, type Result, type Results, splitAdvice } from '../finding.ts';

const other: Text = {
  en: 'choose another port in settings.toml (port = 9528) or with --port',
  zh: '在 settings.toml（port = 9528）或 --port 中指定其他端口',
};

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
export async function checkService({ home, service }: DoctorContext, signal: AbortSignal): Promise<Results> {
  if (service === null) return note(notRunning, startIt);
  const { pid, url, version } = service;
  const health = await askHealth(url, service.token ? home : null, signal);
  if (health.kind === 'silent' || health.kind === 'stranger') {
    const reason = health.kind === 'silent' ? health.reason : strangeAnswer;
    return problem(
      {
        en: `Hob (process ${pid}) does not respond at ${url} (${reason.en})`,
        zh: `Hob（进程 ${pid}）在 ${url} 没有响应（${reason.zh}）`,
      },
      {
        en: `End it with kill ${pid} (if that has no effect: kill -9 ${pid}), then start it again: hob start. Running scripts continue.`,
        zh: `请结束它：kill ${pid}（如果无效：kill -9 ${pid}），然后重新启动：hob start。正在运行的脚本不受影响。`,
      },
    );
  }
  const findings: Result[] = [];
  if (version === readVersion())
    findings.push(
      ok({
        en: `Hob ${version} is running at ${url} (process ${pid})`,
        zh: `Hob ${version} 正在 ${url} 提供服务（进程 ${pid}）`,
      }),
    );
  else
    findings.push(
      note(
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
        { en: 'The service rejects the token of this home', zh: '服务不接受此数据目录的令牌' },
        { en: 'Create a new one: hob token --renew', zh: '请重新生成：hob token --renew' },
      ),
    ];
  findings.push(...judgeExecutor(health.answer.executor));
  const containment = containments[String(health.answer.containment)];
  return containment === undefined ? findings : [...findings, ok(containment)];
}

/** Judges `executor` in the health response. Older services do not send it. */
function judgeExecutor(executor: Json | undefined): Result[] {
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

/** Requests the health of the service at an address. */
async function askHealth(url: string, home: string | null, signal: AbortSignal): Promise<Reply> {
  const reply = await askService(`${url}/api/health`, { home, signal });
  if (reply.kind !== 'well') return reply;
  const { status, interface: version } = reply.answer;
  return status === 'ok' && typeof version === 'string' ? reply : { kind: 'stranger' };
}

/** Checks that the service can listen on its addresses, if it is not running. */
export async function checkPort({ settings, service }: DoctorContext, signal: AbortSignal): Promise<Results> {
  const { listen, port } = settings;
  // Port 0 selects any free port.
  if (service !== null || port === 0) return [];
  for (const address of listen) {
    const errno = await tryListen(address, port);
    if (errno === null) continue;
    // A machine without IPv6 is still reachable by the other address.
    const isAbsent = errno === 'EADDRNOTAVAIL' || errno === 'EAFNOSUPPORT';
    if (isAbsent && address === '::1' && listen.length > 1) continue;
    return await explain({ address, port, errno }, signal);
  }
  return ok({ en: `Port ${port} is free`, zh: `端口 ${port} 空闲` });
}

async function explain(
  { address, port, errno }: { address: string; port: number; errno: string },
  signal: AbortSignal,
): Promise<Result> {
  const place = `${inUrl(address)}:${port}`;
  if (errno === 'EADDRNOTAVAIL')
    return problem(
      { en: `This machine has no address ${address}`, zh: `这台电脑没有地址 ${address}` },
      { en: 'Correct the setting listen in settings.toml.', zh: '请更正 settings.toml 中的 listen。' },
    );
  if (errno !== 'EADDRINUSE')
    return problem(
      { en: `Hob cannot listen on ${place} (${errno})`, zh: `Hob 无权监听 ${place}（${errno}）` },
      { en: `Use another address, or ${other.en}.`, zh: `请换一个地址，或${other.zh}。` },
    );
  const reached = isLoopback(address) ? inUrl(address) : '127.0.0.1';
  const health = await askHealth(`http://${reached}:${port}`, null, signal);
  if (health.kind === 'well' || health.kind === 'asks-for-token') {
    const version = health.kind === 'well' ? ` ${String(health.answer.version)}` : '';
    return problem(
      {
        en: `Another Hob${version}, with a different home, already listens on ${place}`,
        zh: `另一个使用其他数据目录的 Hob${version} 正在监听 ${place}`,
      },
      {
        en: `Stop it (hob stop --home <its home>), or ${other.en}.`,
        zh: `请停止它（hob stop --home <它的数据目录>），或${other.zh}。`,
      },
    );
  }
  return problem(
    { en: `Another program already listens on ${place}`, zh: `另一个程序正在监听 ${place}` },
    { en: `Stop it, or ${other.en}.`, zh: `请停止该程序，或${other.zh}。` },
  );
}

/** Returns null on success, otherwise the errno. */
function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errnoOf(error) ?? 'unknown'));
    server.listen({ host, port, exclusive: true, ipv6Only: true }, () => server.close(() => resolve(null)));
  });
}

/** Checks the token file, if a token is required. */
export async function checkToken({ home, settings, service }: DoctorContext): Promise<Results> {
  if (!settings.token && service?.token !== true) return [];
  try {
    const token = readToken(home);
    const what =
      token === null
        ? { en: 'The first start creates the token', zh: '令牌会在首次启动时生成' }
        : {
            en: `Only you can read the token in ${tokenFileOf(home)}`,
            zh: `${tokenFileOf(home)} 中的令牌只有自己可以读取`,
          };
    return ok(what);
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    const { what, next } = splitAdvice(error.text);
    return problem(what, next);
  }
}

/** Reports the warm interpreters, their memory and how many runs used them. */
export async function checkWarm({ home, service }: DoctorContext, signal: AbortSignal): Promise<Results> {
  if (service === null) return [];
  const health = await askHealth(service.url, service.token ? home : null, signal);
  // checkService reports other problems of the service. Older services do not send `warm`.
  const warm = health.kind === 'well' ? health.answer.warm : undefined;
  return isJsonObject(warm) ? [judgeWarm(warm)] : [];
}

export function judgeWarm(warm: JsonObject): Result {
  const budget = countIn(warm.budget_bytes);
  if (budget === 0)
    return ok({
      en: 'Warm interpreters: disabled (warm_memory_mb is 0); every run starts its own interpreter',
      zh: '预热的解释器：已关闭（warm_memory_mb 为 0），每次运行都会启动新的解释器',
    });
  const [waiting, use] = [describeWaiting(warm.interpreters), describeUse(warm)];
  const [taken, most] = [formatBytes(countIn(warm.memory_bytes)), formatBytes(budget)];
  const what = {
    en: `Warm interpreters: ${waiting.en}, ${taken} of ${most}; ${use.en}`,
    zh: `预热的解释器：${waiting.zh}，占用 ${taken}（上限 ${most}）；${use.zh}`,
  };
  if (warm.short_of_memory !== true) return ok(what);
  return note(
    {
      en: `${what.en}; no more are started, because the machine is short of memory`,
      zh: `${what.zh}；内存不足，暂不预热`,
    },
    {
      en: 'Close programs that use much memory. Until then, runs start more slowly. To disable warm interpreters and this note, set warm_memory_mb to 0.',
      zh: '请关闭占用大量内存的程序，在此之前脚本启动会慢一些。如不想再看到此提示，请将 warm_memory_mb 设为 0。',
    },
  );
}

function describeWaiting(value: Json | undefined): Text {
  const kinds = (Array.isArray(value) ? value : [])
    .filter((kind) => isJsonObject(kind))
    .filter((kind) => countIn(kind.waiting) > 0);
  if (kinds.length === 0) return { en: 'none waiting', zh: '没有待命的' };
  const waiting = kinds.reduce((sum, kind) => sum + countIn(kind.waiting), 0);
  const namesIn = (language: Language) =>
    nameSome([...new Set(kinds.map((kind) => nameOf(kind, language)))])[language];
  return { en: `${waiting} waiting (${namesIn('en')})`, zh: `${waiting} 个待命（${namesIn('zh')}）` };
}

function nameOf({ path, preload }: JsonObject, language: Language): string {
  const modules = Array.isArray(preload) ? preload : [];
  const name = basename(String(path));
  if (modules.length === 0) return name;
  return language === 'zh' ? `${name} 带 ${modules.join('、')}` : `${name} with ${modules.join(' and ')}`;
}

function describeUse(warm: JsonObject): Text {
  const hits = countIn(warm.hits);
  const runs = hits + countIn(warm.misses);
  if (runs === 0) return { en: 'no run could use one yet', zh: '还没有运行能用上' };
  return {
    en: `warm starts: ${hits} of ${runs} eligible runs`,
    zh: `${runs} 次可预热的运行中有 ${hits} 次用上了`,
  };
}

function countIn(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}
