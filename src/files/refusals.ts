import { AppError, errnoOf } from '../shared/errors.ts';

export function relativePath(path: string): AppError {
  return new AppError(
    'field-invalid',
    {
      en: `path must be an absolute path, not ${JSON.stringify(path)}`,
      zh: `path 应为绝对路径，而不是 “${path}”`,
    },
    { hint: { en: '~ stands for your home folder.', zh: '~ 表示用户主文件夹。' } },
  );
}

/** Converts an error about a folder into an AppError. Returns other errors unchanged. */
export function folderRefusal(error: unknown, path: string): unknown {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ELOOP':
    case 'ENAMETOOLONG':
    case 'ENODEV':
      return new AppError(
        'folder-unknown',
        { en: `No such folder: ${path}`, zh: `文件夹不存在: ${path}` },
        { cause: error },
      );
    case 'ENOTDIR':
      return new AppError(
        'folder-invalid',
        { en: `${path} is not a folder`, zh: `不是文件夹: ${path}` },
        { cause: error },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EIO':
      return new AppError(
        'folder-unreadable',
        { en: `Cannot read the folder: ${path}`, zh: `没有权限查看文件夹: ${path}` },
        {
          cause: error,
          hint: {
            en: 'Hob has the permissions of the user who started it.',
            zh: 'Hob 只能看到启动它的用户有权查看的内容。',
          },
        },
      );
    default:
      return error;
  }
}
