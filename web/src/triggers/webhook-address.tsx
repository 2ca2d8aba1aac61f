import type { Trigger } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { CodeBox, CodeText } from '../parts/code.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Panel } from '../parts/panel.tsx';

interface WebhookAddressProps {
  readonly trigger: Trigger;
  /** The value of the secret, if it was stored just now. Hob shows it only here. */
  readonly secret?: string;
}

/** Where the sender of a webhook sends to, with an example. */
export function WebhookAddress({ trigger: { address, values }, secret }: WebhookAddressProps) {
  const say = useSay();
  const example = address === null ? '' : exampleFor(String(values.signature ?? 'token'), address, secret);
  return (
    <Panel title={say('For the sender', '供发送方使用')}>
      {secret !== undefined && (
        <div className="mb-3 rounded-lg bg-warn-ground px-3 py-2">
          <p className="text-warn">
            {say('Copy the secret now: Hob never shows it again.', '请立即复制密钥：之后 Hob 不会再显示它。')}
          </p>
          <Copied text={secret} label={say('Copy secret', '复制密钥')} />
        </div>
      )}
      {address === null ? (
        <p className="text-muted">
          <CodeText
            text={say(
              'There is no address yet: Hob accepts deliveries only if `hooks_listen` is set in `settings.toml`.',
              '目前没有地址：需在 `settings.toml` 中设置 `hooks_listen`，Hob 才会接收请求。',
            )}
          />
        </p>
      ) : (
        <>
          <Copied text={address} label={say('Copy address', '复制地址')} />
          <div className="mt-2 flex items-center justify-between">
            <h3 className="text-xs text-muted">{say('Try it in a terminal', '在终端中试用')}</h3>
            <CopyButton text={example} label={say('Copy example', '复制示例')} />
          </div>
          <CodeBox label={say('Example', '示例')} text={example} />
        </>
      )}
    </Panel>
  );
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <p className="flex items-center gap-1">
      <code className="min-w-0 font-mono text-[13px] break-all">{text}</code>
      <CopyButton text={text} label={label} />
    </p>
  );
}

const signed = (text: string) =>
  `SIGNATURE=$(printf %s "${text}" | openssl dgst -sha256 -hmac "$SECRET" | sed "s/.* //")`;

/** How each scheme signs, for a POSIX shell. Each ends with the headers. */
const signing: Readonly<Record<string, readonly string[]>> = {
  token: ['curl -H "Authorization: Bearer $SECRET"'],
  github: [signed('$BODY'), 'curl -H "X-Hub-Signature-256: sha256=$SIGNATURE"'],
  stripe: ['TIME=$(date +%s)', signed('$TIME.$BODY'), 'curl -H "Stripe-Signature: t=$TIME,v1=$SIGNATURE"'],
  standard: [
    'ID=msg_$(date +%s) TIME=$(date +%s)',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell expands it
    'KEY=$(printf %s "${SECRET#whsec_}" | base64 -d | od -An -vtx1 | tr -d " \\n")',
    'SIGNATURE=$(printf %s "$ID.$TIME.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)',
    'curl -H "webhook-id: $ID" -H "webhook-timestamp: $TIME" -H "webhook-signature: v1,$SIGNATURE"',
  ],
};

function exampleFor(signature: string, address: string, secret = 'YOUR SECRET'): string {
  const quoted = `'${secret.replaceAll("'", "'\\''")}'`;
  return [`SECRET=${quoted}`, `BODY='{"hello": "world"}'`, ...(signing[signature] ?? [])]
    .join('\n')
    .concat(` -H "Content-Type: application/json" -d "$BODY" "${address}"`);
}
