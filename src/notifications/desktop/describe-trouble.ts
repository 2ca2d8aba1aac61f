import { refusalOf } from './bus-connection.ts';
import type { DesktopTrouble } from './desktop-report.ts';
import { NoAnswer } from './within-time.ts';

const nobody = /^org\.freedesktop\.DBus\.Error\.(?:ServiceUnknown|NameHasNoOwner|NoReply|Spawn\..*)$/;

/** What a failed attempt means to the person who reads the log. */
export function describeTrouble(error: unknown, path: string): DesktopTrouble {
  const shownPath = path.replace('\0', '@');
  const refusal = refusalOf(error);
  if (refusal !== null && !nobody.test(refusal)) {
    return {
      problem: `the notification daemon refused to show a notification (${refusal})`,
      hint: 'Hob tries again by itself. If this stays so, restart the notification daemon.',
    };
  }
  if (refusal !== null) {
    return {
      problem: `nobody on the session bus shows notifications (${refusal})`,
      hint: 'Start a notification daemon in your desktop session, such as dunst, mako or xfce4-notifyd.',
    };
  }
  if (isNoAnswer(error)) {
    return {
      problem: 'the session bus or the notification daemon does not answer',
      hint: 'Restart the notification daemon, or log out and in again.',
    };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'EACCES', 'EPERM'].includes(code)) {
    return {
      problem: `there is no session bus at ${shownPath} (${code})`,
      hint: 'Hob looks for it again by itself. If you are logged in to a desktop, start Hob from within it.',
    };
  }
  return {
    problem: `the session bus at ${shownPath} has ended the conversation`,
    hint: 'Hob tries again by itself. If this stays so, log out and in again.',
  };
}

function isNoAnswer(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof Error && error.cause instanceof NoAnswer);
}
