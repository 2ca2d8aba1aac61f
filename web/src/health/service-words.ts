import type { Health } from '../api/wire.ts';
import type { Say } from '../language/language.tsx';

/** Describes how Hob finds the processes of a run to stop, and so whether some may be left running. */
export function containmentWords(containment: Health['containment'], say: Say): string {
  if (containment === null) return say('Not known yet', '尚不清楚');
  const words: Readonly<Record<NonNullable<Health['containment']>, string>> = {
    cgroup: say(
      'With cgroups: stopping a run ends all of its processes',
      '由 cgroup 统一管理：停止运行时不会残留任何进程',
    ),
    sweep: say(
      'By process group, session, environment and parent process: cgroups are not available here',
      '按进程组、会话、环境变量和父子关系查找：这里无法使用 cgroup',
    ),
    descent: say(
      'By process group and parent process: a process that leaves both is not found',
      '按进程组和父子关系查找：脱离两者的进程无法找到',
    ),
    taskkill: say(
      'With taskkill: ends the process and all of its child processes',
      '由 taskkill 结束该进程及其所有子进程',
    ),
  };
  return words[containment];
}

/** Describes whether the executor responds. */
export function executorWords({ state, pid, silent_pids: silent }: Health['executor'], say: Say): string {
  if (state === 'silent')
    return say(
      `Process ${pid} is not responding. Synchronous calls are refused, and other runs stay queued. If the process is paused, resume it: kill -CONT ${pid}`,
      `进程 ${pid} 没有响应：同步调用会被拒绝，其他运行保持排队。如果它被暂停：kill -CONT ${pid}`,
    );
  const others = silent.join(', ');
  const rest =
    others &&
    say(`; an earlier executor is not responding: ${others}`, `；较早的执行进程没有响应：${others}`);
  if (state === 'none') return say('Not running', '目前没有') + rest;
  return say(`Process ${pid} is responding`, `进程 ${pid} 响应正常`) + rest;
}

export function desktopWords(desktop: Health['desktop'], say: Say): string {
  const words: Readonly<Record<Health['desktop'], string>> = {
    ready: say('Shown on the desktop and saved', '显示在桌面上，并保存'),
    unreachable: say(
      'Saved, but the desktop did not accept the last one',
      '已保存，但桌面没有接受最近一条通知',
    ),
    none: say(
      'Saved only: this machine has no desktop to show them on',
      '仅保存；这台机器没有可显示通知的桌面',
    ),
  };
  return words[desktop];
}

/** The reason for refused requests; unknown codes are shown as they are. */
export function refusalWords(code: string, say: Say): string {
  const words: Readonly<Record<string, string>> = {
    'door-protocol': say('Not a plain HTTP request', '不是普通的 HTTP 请求'),
    'door-method': say('Preflight request from another web page', '来自其他网页的预检请求'),
    'door-host-missing': say('Missing Host header', '缺少 Host 请求头'),
    'door-host': say('Host header of another host', 'Host 不是本服务的地址'),
    'door-origin': say('Web page of another origin', '来自其他来源的网页'),
    'door-fetch-site': say('Triggered by another website', '由其他网站触发'),
    'door-token': say('Missing or wrong token', '没有出示正确的令牌'),
    'door-busy': say('Too many connections at once', '同时连接数过多'),
    'request-malformed': say('Malformed request', '格式错误'),
    'request-header-too-large': say('Header too large', '请求头过大'),
    'request-timeout': say('Request sent too slowly', '发送过慢'),
    'body-too-large': say('Body too large', '请求体过大'),
    'content-type-unsupported': say('Unsupported content type', '不支持的内容类型'),
    'notify-content-type': say('Notification is not JSON', '通知不是 JSON'),
  };
  return words[code] ?? code;
}
