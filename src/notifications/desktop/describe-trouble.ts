import type { Text } from '../../shared/text.ts';
import { refusalOf } from './bus-connection.ts';

const noDaemon = /^org\.freedesktop\.DBus\.Error\.(?:ServiceUnknown|NameHasNoOwner|NoReply|Spawn\..*)$/;

export function describeTrouble(error: unknown, path: string): { problem: Text; hint: Text } {
  const shownPath = path.replace('\0', '@');
  const refusal = refusalOf(error);
  if (refusal !== null && !noDaemon.test(refusal)) {
    return {
      problem: {
        en: `the notification daemon refused to show a notification (${refusal})`,
        zh: `通知服务拒绝显示通知（${refusal}）`,
      },
      hint: {
        en: 'Hob tries again automatically. If the problem persists, restart the notification daemon.',
        zh: 'Hob 会自动重试。如果一直如此，请重启通知服务。',
      },
    };
  }
  if (refusal !== null) {
    return {
      problem: {
        en: `no notification daemon is running on the session bus (${refusal})`,
        zh: `会话总线上没有显示通知的程序（${refusal}）`,
      },
      hint: {
        en: 'Start a notification daemon in your desktop session, such as dunst, mako or xfce4-notifyd.',
        zh: '请在桌面会话中启动一个通知服务，例如 dunst、mako 或 xfce4-notifyd。',
      },
    };
  }
  if (isNoAnswer(error)) {
    return {
      problem: {
        en: 'the session bus or the notification daemon does not respond',
        zh: '会话总线或通知服务没有响应',
      },
      hint: {
        en: 'Restart the notification daemon, or log out and in again.',
        zh: '请重启通知服务，或注销后重新登录。',
      },
    };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'EACCES', 'EPERM'].includes(code)) {
    return {
      problem: {
        en: `no session bus at ${shownPath} (${code})`,
        zh: `${shownPath} 处没有会话总线（${code}）`,
      },
      hint: {
        en: 'Hob tries again automatically. If you are logged in to a desktop, start Hob from that session.',
        zh: 'Hob 会自动重新查找。如果已登录桌面，请在桌面会话中启动 Hob。',
      },
    };
  }
  return {
    problem: {
      en: `the session bus at ${shownPath} closed the connection`,
      zh: `${shownPath} 处的会话总线断开了连接`,
    },
    hint: {
      en: 'Hob tries again automatically. If the problem persists, log out and in again.',
      zh: 'Hob 会自动重试。如果一直如此，请注销后重新登录。',
    },
  };
}

/** Whether a time limit ended the attempt, which may be the cause of the error that the library reports. */
function isNoAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === 'TimeoutError' || (error.cause instanceof Error && error.cause.name === 'TimeoutError')
  );
}
