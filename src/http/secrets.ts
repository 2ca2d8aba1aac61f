import type { FastifyInstance } from 'fastify';

import { SecretBody, SecretChanged, SecretsAnswer } from '../contract/secrets.ts';
import { mostSecretBytes, secretNamePattern } from '../secrets/secret-store.ts';
import type { Json } from '../shared/json.ts';
import { requireSameUser } from './access/same-user.ts';
import type { AppDependencies } from './dependencies.ts';
import { checkQuery, invalidField, noSuch, refuseUnknown } from './fields.ts';
import { bodyOf, success } from './request.ts';
import { route } from './route.ts';

export function addSecretRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  const { secrets } = dependencies;
  route(app, 'GET /api/secrets', {
    operationId: 'listSecrets',
    tag: 'Secrets',
    summary: 'List stored secrets',
    description: 'Lists the names of the stored secrets. No operation returns a value.',
    answer: SecretsAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      checkQuery(request.query);
      const items = secrets.list().map(({ name, setAt, usedAt }) => ({
        name,
        set_at: setAt,
        used_at: usedAt,
      }));
      return { items, next: null, key_file: secrets.keyFile };
    },
  });

  route(app, 'PUT /api/secrets/:name', {
    operationId: 'setSecret',
    tag: 'Secrets',
    summary: 'Store a secret',
    description: 'Stores a value under a name, encrypted. It replaces the value that the name had before.',
    body: SecretBody,
    examples: {
      plain: { summary: 'A value for a webhook', body: { value: 'correct horse battery staple' } },
    },
    answer: SecretChanged,
    async handle(request) {
      await requireSameUser(request, dependencies);
      const { name } = request.params;
      if (!secretNamePattern.test(name))
        throw invalidField('name', '1 to 64 characters of a-z, 0-9 and -', ' 1 到 64 个 a-z、0-9 或 - 字符');
      const { fields } = bodyOf(request);
      refuseUnknown(fields, SecretBody);
      await secrets.set(name, readValue(fields.value));
      const message = { en: `The secret ${name} was stored`, zh: `已保存密钥 ${name}` };
      return success(request, message, { name });
    },
  });

  route(app, 'DELETE /api/secrets/:name', {
    operationId: 'removeSecret',
    tag: 'Secrets',
    summary: 'Remove a secret',
    description: 'Removes a stored secret. Webhooks that use it stop accepting deliveries.',
    answer: SecretChanged,
    async handle(request) {
      await requireSameUser(request, dependencies);
      checkQuery(request.query);
      const { name } = request.params;
      if (!(await secrets.remove(name))) throw unknownSecret(name);
      const message = { en: `The secret ${name} was removed`, zh: `已删除密钥 ${name}` };
      return success(request, message, { name });
    },
  });
}

/** The text of a refusal does not contain the value. */
function readValue(value: Json | undefined): string {
  // Most schemes ignore the spaces around a secret, so nothing would be left of it.
  if (typeof value === 'string' && value !== '' && value.trim() === '')
    throw invalidField('value', 'a text that is more than white space', '不全是空白的文本');
  const isStorable =
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= mostSecretBytes &&
    !/[\0\p{Surrogate}]/u.test(value);
  if (isStorable) return value;
  throw invalidField(
    'value',
    'a text of 1 byte to 64 KiB in UTF-8, without NUL characters',
    '不含 NUL 字符的文本，UTF-8 编码后为 1 字节到 64 KiB',
  );
}

function unknownSecret(name: string) {
  return noSuch('secret-unknown', { en: 'secret', zh: '密钥' }, name, {
    en: 'GET /api/secrets lists all secrets.',
    zh: 'GET /api/secrets 列出所有密钥。',
  });
}
