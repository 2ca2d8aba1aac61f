import { AppError } from '../shared/errors.ts';

export function repoIdInvalid(): AppError {
  return new AppError(
    'repo-id-invalid',
    {
      en: 'repo_id is missing or not of the form owner/name.',
      zh: 'repo_id 缺失或格式错误，应为 owner/name',
    },
    {
      hint: {
        en: 'Use the part of the model address after the host, not the whole address.',
        zh: '即模型网址中主机名之后的部分，而非完整网址。',
      },
    },
  );
}
