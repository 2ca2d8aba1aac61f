import type { Text } from '../../shared/text.ts';
import { answerWithinMs, type PostResult } from './post.ts';

export interface OutgoingFailure {
  readonly problem: Text;
  readonly hint: Text;
}

const checkAddress: Text = {
  en: 'Check notify_url in settings.toml.',
  zh: '请检查 settings.toml 中的 notify_url。',
};
const checkNetwork: Text = {
  en: 'Check the network of this machine and notify_url.',
  zh: '请检查这台电脑的网络和 notify_url。',
};

/** Describes why a message was not delivered. Names only the host: the rest of the address may be a secret, and so may the answer, which often quotes it. */
export function describeFailure({ host }: URL, result: PostResult): OutgoingFailure {
  return result.kind === 'answered' ? refused(host, result) : unreachable(host, result.reason);
}

function refused(
  host: string,
  { status, redirectOrigin }: Extract<PostResult, { kind: 'answered' }>,
): OutgoingFailure {
  const answered: Text = {
    en: `${host} answered with status ${status}`,
    zh: `${host} 返回了状态码 ${status}`,
  };
  if (status >= 300 && status < 400) {
    const to = redirectOrigin ?? host;
    return {
      problem: {
        en: `${answered.en}, a redirect to ${redirectOrigin === null ? 'another path' : to}`,
        zh: `${answered.zh}，重定向到${redirectOrigin === null ? '另一个路径' : ` ${to}`}`,
      },
      hint: {
        en: 'Hob does not follow redirects. Set notify_url to the final address.',
        zh: 'Hob 不跟随重定向。请将 notify_url 设为最终地址。',
      },
    };
  }
  return { problem: answered, hint: hintFor(status) };
}

function hintFor(status: number): Text {
  if (status === 401 || status === 403)
    return {
      en: 'The address needs a valid password or token: https://USER:PASSWORD@HOST/PATH in notify_url.',
      zh: '该地址需要有效的密码或令牌，请在 notify_url 中写成 https://用户:密码@主机/路径。',
    };
  if (status === 404 || status === 405 || status === 410)
    return {
      en: 'The host has nothing to post to at this path. Check the path in notify_url.',
      zh: '该主机在此路径上不接收消息。请检查 notify_url 中的路径。',
    };
  if (status === 429)
    return {
      en: 'The host received too many messages. Hob delivers notifications later.',
      zh: '该主机收到的消息过多，Hob 稍后再发送通知。',
    };
  if (status >= 500 || status === 408 || status === 425)
    return {
      en: 'The host has a problem. Hob keeps trying to deliver notifications.',
      zh: '该主机出现故障，Hob 会继续尝试发送通知。',
    };
  return {
    en: 'The host does not accept this message. Check notify_url and notify_format in settings.toml.',
    zh: '该主机不接受这条消息。请检查 settings.toml 中的 notify_url 和 notify_format。',
  };
}

function unreachable(host: string, reason: string): OutgoingFailure {
  if (reason === 'timeout') {
    const seconds = answerWithinMs / 1000;
    return {
      problem: { en: `${host} did not answer within ${seconds} s`, zh: `${host} 在 ${seconds} 秒内没有应答` },
      hint: checkNetwork,
    };
  }
  if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN')
    return {
      problem: {
        en: `The name of the host ${host} cannot be resolved (${reason})`,
        zh: `无法解析主机名 ${host}（${reason}）`,
      },
      hint: checkNetwork,
    };
  if (reason.includes('CERT') || reason.includes('SIGNED') || reason.includes('LEAF_SIGNATURE'))
    return {
      problem: {
        en: `The certificate of ${host} is not valid (${reason})`,
        zh: `${host} 的证书无效（${reason}）`,
      },
      hint: {
        en: 'For a certificate of your own, start Hob with NODE_EXTRA_CA_CERTS set to the file of its authority.',
        zh: '如使用自签证书，请在启动 Hob 时将 NODE_EXTRA_CA_CERTS 设为其 CA 证书文件。',
      },
    };
  if (
    reason === 'EPROTO' ||
    reason === 'no-http' ||
    reason.startsWith('HPE_') ||
    reason.startsWith('ERR_SSL')
  )
    return {
      problem: {
        en: `${host} did not answer with HTTP (${reason})`,
        zh: `${host} 的应答不是 HTTP（${reason}）`,
      },
      hint: {
        en: 'Check the port in notify_url, and whether the address begins with http or https.',
        zh: '请检查 notify_url 中的端口，以及开头应为 http 还是 https。',
      },
    };
  return {
    problem: { en: `The connection to ${host} failed (${reason})`, zh: `与 ${host} 的连接失败（${reason}）` },
    hint: reason === 'ECONNREFUSED' ? checkAddress : checkNetwork,
  };
}
