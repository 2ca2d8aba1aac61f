import { useQuery } from '@tanstack/react-query';

import { secretsQuery } from '../../api/queries.ts';
import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, inputClasses } from '../../parts/field.tsx';
import { ChoiceSetting, type FormPart, Select, TextSetting } from './form-part.tsx';

/** A secret that is stored together with the trigger. */
export interface NewSecret {
  /** Empty: the id of the trigger. */
  readonly name: string;
  readonly value: string;
}

interface WebhookFieldsProps extends FormPart {
  /** The id of the trigger, which a new secret has as its name. */
  readonly triggerId: string;
  readonly newSecret: NewSecret | null;
  readonly onNewSecret: (secret: NewSecret | null) => void;
}

/** The value of the choice that stores a new secret. No secret can have this name. */
const another = '+';

/** How the sender proves who it is, and where the delivery goes. */
export function WebhookFields({ triggerId, newSecret, onNewSecret, ...part }: WebhookFieldsProps) {
  const say = useSay();
  const { draft, change, errorOf } = part;
  const { data, error } = useQuery(secretsQuery);
  const { secret = '', signature = 'token' } = draft.texts;
  const names = data?.items.map(({ name }) => name) ?? [];
  const hints: Readonly<Record<string, string>> = {
    token: say(
      'The sender sends the secret in the header Authorization.',
      '发送方在 Authorization 头中发送密钥。',
    ),
    github: say('Enter the same secret in the settings of the repository.', '请在仓库设置中填写同一密钥。'),
    stripe: say('Stripe shows the secret of an endpoint (whsec_…).', 'Stripe 会显示端点的密钥（whsec_…）。'),
    standard: say(
      'The sender shows the secret, or takes yours (whsec_…).',
      '密钥由发送方给出，或由你提供（whsec_…）。',
    ),
  };
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceSetting
          part={part}
          name="signature"
          label={say('Proof of the sender', '发送方的凭证')}
          description={hints[signature] ?? ''}
          choices={[
            ['token', say('Token', '令牌')],
            ['github', say('GitHub signature', 'GitHub 签名')],
            ['stripe', say('Stripe signature', 'Stripe 签名')],
            ['standard', say('Standard Webhooks', 'Standard Webhooks')],
          ]}
        />
        <Field label={say('Secret', '密钥')} error={errorOf('secret')} isRequired>
          {({ id, describedBy, isInvalid }) => (
            <Select
              id={id}
              value={newSecret === null ? secret : another}
              data-field="secret"
              aria-describedby={describedBy}
              aria-invalid={isInvalid}
              onChange={({ target }) => {
                onNewSecret(target.value === another ? { name: '', value: '' } : null);
                const chosen = target.value === another ? '' : target.value;
                change('secret', { texts: { ...draft.texts, secret: chosen } });
              }}
              choices={[
                ...(secret === '' ? [['', say('Choose…', '请选择……')] as const] : []),
                ...(secret === '' || names.includes(secret) ? [] : [[secret, secret] as const]),
                ...names.map((name) => [name, name] as const),
                [another, say('New secret…', '新建密钥……')],
              ]}
            />
          )}
        </Field>
      </div>
      {error !== null && <Failure error={error} />}
      {newSecret !== null && (
        <NewSecretFields
          secret={newSecret}
          preset={triggerId}
          isTaken={names.includes(newSecret.name || triggerId)}
          isStandard={signature === 'standard'}
          error={errorOf('value')}
          onChange={onNewSecret}
        />
      )}
      <TextSetting
        part={part}
        name="into"
        label={say('Param that receives the delivery', '接收请求内容的参数')}
        description={say(
          'It receives an object with headers, query, body and body_base64.',
          '它会收到包含 headers、query、body、body_base64 的对象。',
        )}
      />
    </>
  );
}

interface NewSecretFieldsProps {
  readonly secret: NewSecret;
  readonly preset: string;
  readonly isTaken: boolean;
  readonly isStandard: boolean;
  readonly error: string | null;
  readonly onChange: (secret: NewSecret) => void;
}

/** The name and the value of a new secret, typed or generated. */
function NewSecretFields({ secret, preset, isTaken, isStandard, error, onChange }: NewSecretFieldsProps) {
  const say = useSay();
  return (
    <div className="grid gap-4 rounded-lg border border-line p-3 sm:grid-cols-2">
      <Field
        label={say('Name of the secret', '密钥名称')}
        error={isTaken ? say('This name is taken. Choose another one.', '该名称已被使用，请换一个。') : null}
      >
        {({ id, describedBy, isInvalid }) => (
          <input
            id={id}
            value={secret.name || preset}
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChange({ ...secret, name: target.value })}
            className={inputClasses}
          />
        )}
      </Field>
      <Field
        label={say('Value', '值')}
        error={error}
        description={say(
          'Copy it for the sender. It is shown only until you leave this page.',
          '请复制给发送方。离开此页面后不再显示。',
        )}
        isRequired
      >
        {({ id, describedBy, isInvalid }) => (
          <div className="flex items-center gap-1">
            <input
              id={id}
              value={secret.value}
              data-field="value"
              autoComplete="off"
              spellCheck={false}
              aria-describedby={describedBy}
              aria-invalid={isInvalid}
              onChange={({ target }) => onChange({ ...secret, value: target.value })}
              className={`${inputClasses} font-mono text-[13px]`}
            />
            {secret.value === '' ? (
              <Button onClick={() => onChange({ ...secret, value: randomSecret(isStandard) })}>
                {say('Generate', '生成')}
              </Button>
            ) : (
              <CopyButton text={secret.value} label={say('Copy secret', '复制密钥')} />
            )}
          </div>
        )}
      </Field>
    </div>
  );
}

/** 256 random bits; as Standard Webhooks writes them, or in hexadecimal digits. */
function randomSecret(isStandard: boolean): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return isStandard
    ? `whsec_${btoa(String.fromCharCode(...bytes))}`
    : Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
