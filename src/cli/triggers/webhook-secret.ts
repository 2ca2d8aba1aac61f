import { randomBytes } from 'node:crypto';

import type { SecretList } from '../../contract/types.ts';
import { quoteWord } from '../command-lines.ts';
import { tr } from '../language.ts';
import type { ServiceClient } from '../service-client.ts';
import { ask, canAsk } from '../terminal/ask.ts';
import { printable } from '../terminal/text.ts';
import { usageError } from '../user-error.ts';

/** A secret that this command has stored. */
export interface NewSecret {
  readonly name: string;
  /** Null if the user typed it, and therefore knows it. */
  readonly value: string | null;
}

interface Wanted {
  readonly name: string;
  readonly signature: string;
}

const secretBytes = 32;

/** Makes sure that the secret of a webhook is stored. Returns it if it is new. */
export async function provideSecret(
  client: ServiceClient,
  { name, signature }: Wanted,
  { newSecret = false }: { newSecret?: boolean },
): Promise<NewSecret | null> {
  const { items } = await client.get<SecretList>('/api/secrets');
  const isStored = items.some((secret) => secret.name === name);
  if (isStored && newSecret) throw alreadyStored(name);
  if (isStored) return null;
  // Stripe shows its own secret and accepts no other.
  const isGiven = signature === 'stripe';
  if (newSecret && isGiven) throw givenByStripe(name);
  if (!newSecret && !canAsk()) throw notStored(name, isGiven);
  const value = newSecret || (!isGiven && (await wantsNew(name))) ? generate(signature) : null;
  await client.put(pathOf(name), { value: value ?? (await askForValue(name)) });
  return { name, value };
}

/** Removes the secret of a webhook that could not be stored. */
export async function removeNewSecret(client: ServiceClient, secret: NewSecret | null): Promise<void> {
  if (secret === null) return;
  await client.delete(pathOf(secret.name)).catch(() => {});
}

export function describeNewSecret({ name, value }: NewSecret): string[] {
  if (value === null) return [tr(`The secret ${name} was stored.`, `已保存密钥 ${name}。`)];
  return [
    tr(
      `Secret for the sender (stored as ${name}; Hob does not show it again):`,
      `发送方使用的密钥（已保存为 ${name}，之后不再显示）：`,
    ),
    `  ${value}`,
  ];
}

function pathOf(name: string): string {
  return `/api/secrets/${encodeURIComponent(name)}`;
}

/** Standard Webhooks prescribes the form of its secrets. */
function generate(signature: string): string {
  const bytes = randomBytes(secretBytes);
  return signature === 'standard' ? `whsec_${bytes.toString('base64')}` : bytes.toString('base64url');
}

const onCancel = tr('Nothing was stored.', '没有保存任何内容。');

async function wantsNew(name: string): Promise<boolean> {
  const answer = await ask(
    tr(
      `There is no secret "${printable(name)}". Generate one? [Y/n] `,
      `没有名为 “${printable(name)}” 的密钥。要生成一个吗？[Y/n] `,
    ),
    { onCancel },
  );
  return /^(?:y|yes|是|)$/i.test(answer.trim());
}

async function askForValue(name: string): Promise<string> {
  const value = await ask(
    tr(`Secret of the sender, for ${name} (not shown): `, `发送方的密钥，保存为 ${name}（不显示）：`),
    { isSecret: true, onCancel },
  );
  if (value.trim() !== '') return value;
  throw usageError(`The secret is empty. ${onCancel}`, `密钥为空。${onCancel}`);
}

function alreadyStored(name: string) {
  return usageError(
    `The secret "${printable(name)}" is already stored. Omit --new-secret to use it, or choose another name with --secret.`,
    `已有名为 “${printable(name)}” 的密钥。去掉 --new-secret 即可使用它，或用 --secret 换一个名称。`,
  );
}

function givenByStripe(name: string) {
  return usageError(
    `Stripe creates the secret itself. Copy it from its dashboard: hob secret set ${quoteWord(name)}`,
    `密钥由 Stripe 生成，请从其后台复制：hob secret set ${quoteWord(name)}`,
  );
}

function notStored(name: string, isGiven: boolean) {
  const word = quoteWord(name);
  return usageError(
    `There is no secret "${printable(name)}". Store it: hob secret set ${word}${isGiven ? '' : ', or generate one: add --new-secret'}`,
    `没有名为 “${printable(name)}” 的密钥。保存密钥：hob secret set ${word}${isGiven ? '' : '；或加上 --new-secret 生成一个'}`,
  );
}
