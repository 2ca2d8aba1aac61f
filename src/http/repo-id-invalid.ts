import { AppError } from '../shared/errors.ts';

export function repoIdInvalid(): AppError {
  return new AppError(
    'repo-id-invalid',
    { en: 'repo_id must be given as owner/name.', zh: 'repo_id 缺失或格式错误，应为 owner/name' },
    {
      hint: {
        en: 'It is the part of the address of a model that comes after the host: not the whole address.',
        zh: '即模型网址中主机名之后的部分，而非完整网址。',
      },
    },
  );
}
