import { AppError } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';

/** The error for a server that cannot be reached or fails temporarily. */
export function unreachable(host: string, reason: string, cause?: unknown): AppError {
  return new AppError(
    'hub-unreachable',
    {
      en: `${host} cannot be reached, or closed the connection: ${reason}.`,
      zh: `无法连接 ${host} 或连接中断：${reason}。`,
    },
    {
      cause,
      hint: {
        en: 'Try again later. Hob keeps the received data, and the download resumes from there. To use another address, set HF_ENDPOINT or MODELSCOPE_ENDPOINT.',
        zh: '请稍后重试：已下载的部分会保留并续传。可用 HF_ENDPOINT 或 MODELSCOPE_ENDPOINT 设置其他地址。',
      },
    },
  );
}

/** The error for an invalid response. No part of the response is used. */
export function badAnswer(host: string, what: Text): AppError {
  return new AppError(
    'hub-answer-invalid',
    { en: `${host} ${what.en}.`, zh: `${host}：${what.zh}。` },
    {
      hint: {
        en: 'Hob did not use the response. Make sure that the address belongs to a hub that you trust.',
        zh: '其内容未被使用。请确认该地址是可信的模型站点。',
      },
    },
  );
}
