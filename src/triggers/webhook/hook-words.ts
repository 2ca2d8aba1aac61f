import type { SignatureScheme } from '../../contract/values.ts';
import type { Text } from '../../shared/text.ts';
import type { TriggerProblem, WebhookTrigger } from '../trigger.ts';

type Problem = Omit<TriggerProblem, 'field'>;

const senders: Readonly<Record<SignatureScheme, Text>> = {
  github: { en: 'signed like those of GitHub', zh: '以 GitHub 的方式签名' },
  stripe: { en: 'signed like those of Stripe', zh: '以 Stripe 的方式签名' },
  standard: { en: 'signed as in Standard Webhooks', zh: '以 Standard Webhooks 的方式签名' },
  token: { en: 'with the token', zh: '带有令牌' },
};

export function wordsOf({ signature }: WebhookTrigger): Text {
  const { en, zh } = senders[signature];
  return { en: `For each delivery ${en}`, zh: `每次收到${zh}的请求时` };
}

export const noAddress: TriggerProblem = {
  field: null,
  message: {
    en: 'No address for webhooks is set, so none can arrive',
    zh: '未设置 Webhook 的监听地址，无法接收请求',
  },
  advice: {
    en: 'Write hooks_listen = "127.0.0.1:8790" in settings.toml and restart Hob, or start it with `hob serve --hooks-listen 127.0.0.1:8790`.',
    zh: '请在 settings.toml 中写 hooks_listen = "127.0.0.1:8790" 并重启 Hob，或用 hob serve --hooks-listen 127.0.0.1:8790 启动。',
  },
};

export function blockedProblem({
  triggerId,
  problem,
}: {
  triggerId: string;
  problem: Problem;
}): TriggerProblem {
  const { message, advice } = problem;
  return {
    field: null,
    message: {
      en: `The listener for webhooks is closed, because of the trigger "${triggerId}": ${message.en}`,
      zh: `Webhook 监听已关闭，原因在于触发器“${triggerId}”：${message.zh}`,
    },
    advice: {
      en: `${advice.en} Or switch that trigger off.`,
      zh: `${advice.zh}也可以关闭该触发器。`,
    },
  };
}

export function blockedNotice(blocked: { triggerId: string; problem: Problem }): Text {
  const { message, advice } = blockedProblem(blocked);
  return { en: `${message.en}. ${advice.en}`, zh: `${message.zh}。${advice.zh}` };
}

export function cannotListen(place: string, code: string): TriggerProblem {
  return {
    field: null,
    message:
      code === 'EADDRINUSE'
        ? {
            en: `Another program already listens on ${place}, so no webhook can arrive`,
            zh: `另一个程序已在监听 ${place}，无法接收 Webhook`,
          }
        : {
            en: `Hob cannot listen on ${place} (${code}), so no webhook can arrive`,
            zh: `无法监听 ${place}（${code}），无法接收 Webhook`,
          },
    advice: {
      en: 'Hob tries again every few seconds. Free the address, or choose another with the setting hooks_listen.',
      zh: 'Hob 每隔几秒重试一次。请释放该地址，或用设置 hooks_listen 指定其他地址。',
    },
  };
}

export function unreadableSecret(name: string, code: string): Problem {
  return {
    message: {
      en: `The secret "${name}" cannot be read (${code})`,
      zh: `无法读取密钥“${name}”（${code}）`,
    },
    advice: {
      en: 'Correct the cause, which the log names, and restart Hob.',
      zh: '请根据日志排除原因，然后重启 Hob。',
    },
  };
}

export function missingSecret(name: string): Problem {
  return {
    message: { en: `There is no stored secret "${name}"`, zh: `没有名为“${name}”的密钥` },
    advice: {
      en: `Store it with \`hob secret set ${name}\`.`,
      zh: `请用 hob secret set ${name} 保存。`,
    },
  };
}
