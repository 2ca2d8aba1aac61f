import { AppError, type ErrorCode, errnoOf, exhaustedError, isExhaustion } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';

const longest = 120;

/** Invisible characters, and characters that change the display order, could disguise a name. */
const unprintable =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/gu;

const askAuthor: Text = {
  en: 'Ask the author of the package for a version without it.',
  zh: '请让制作者提供不含此内容的包。',
};

const fetchAgain: Text = {
  en: 'Download or create the archive again. It may have been truncated.',
  zh: '请重新下载或制作该压缩包，它可能在传输中被截断。',
};

export function refusal(code: ErrorCode, text: Text, hint: Text): AppError {
  return new AppError(code, text, { hint });
}

export function unsafe(text: Text, hint: Text = askAuthor): AppError {
  return refusal('package-unsafe', text, hint);
}

export function tooLarge(text: Text, hint: Text): AppError {
  return refusal('package-too-large', text, hint);
}

/** The text ends with the original message of the library or the system. */
export function unreadable(text: Text, hint: Text = fetchAgain, cause?: unknown): AppError {
  return new AppError('package-unreadable', text, { hint, cause });
}

export function invalidSource(text: Text, hint: Text): AppError {
  return refusal('package-source-invalid', text, hint);
}

export const leaveOut: Text = {
  en: 'Remove files that the script does not need. Declare models in the manifest, and Hob downloads them.',
  zh: '请去掉脚本不需要的内容；模型请在清单中声明，由 Hob 下载。',
};

export const withoutLinks: Text = {
  en: 'Replace the link with the file itself, and create the package again.',
  zh: '请用文件本身代替链接，然后重新制作包。',
};

/**
 * Converts an error while reading an archive. Errors of Hob and of the system, which may concern the disk, stay unchanged. All others
 * come from a library that found a violation of the format.
 */
export function damaged(error: unknown, name: string | null): unknown {
  if (error instanceof AppError || !(error instanceof Error) || 'syscall' in error) return error;
  const reason = error.message.split('\n')[0] ?? '';
  const what =
    name === null ? { en: 'The archive', zh: '压缩包' } : { en: showName(name), zh: ` ${showName(name)} ` };
  return unreadable(
    {
      en: `${what.en} is damaged or has the wrong format: ${showReason(reason)}`,
      zh: `${what.zh}已损坏或与其声明不符：${showReason(reason)}`,
    },
    fetchAgain,
    error,
  );
}

/** The message of a library may quote the input. */
function showReason(reason: string): string {
  return showName(reason).slice(1, -1);
}

export const needsRights: Text = {
  en: 'Make sure that you can read the source and write to the target.',
  zh: '请确认有权读取内容，并有权写入目标位置。',
};

/** Converts a system error into a message for the user. Other errors are defects. */
export function systemRefusal(error: unknown): unknown {
  const errno = errnoOf(error);
  if (error instanceof AppError || errno === undefined) return error;
  if (isExhaustion(errno)) return exhaustedError(errno, error);
  const path = error instanceof Error && 'path' in error ? ` ${showName(String(error.path))}` : '';
  return unreadable(
    {
      en: `The package${path} cannot be read or written (${errno})`,
      zh: `无法读取或写入包${path}（${errno}）`,
    },
    needsRights,
    error,
  );
}

/** Formats a name from a package for a message: quoted, fully visible and of limited length. */
export function showName(name: string): string {
  const visible = name.replace(unprintable, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
  const characters = Array.from(visible);
  return characters.length <= longest ? `"${visible}"` : `"${characters.slice(0, longest).join('')}…"`;
}
