import { buffer } from 'node:stream/consumers';

import type { Command } from 'commander';
import type { Secret, SecretChanged, SecretList } from '../../contract/types.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  exitCodesText,
  helpText,
  homeOption,
  jsonOption,
  withSignature,
} from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { ask, canAsk } from '../terminal/ask.ts';
import { printAnswer } from '../terminal/print.ts';
import { type Column, formatMinute, formatTable, printable } from '../terminal/text.ts';
import { usageError } from '../user-error.ts';

const nameMeaning = [
  'name of the secret: up to 64 characters of a-z, 0-9 and -',
  '密钥的名称：最多 64 个 a-z、0-9 或 - 字符',
] as const;

export function configure(command: Command): void {
  command.helpCommand(false).addHelpText('after', exitCodesText);

  withSignature(command.command('list', { isDefault: true }), { ...homeOption, ...jsonOption })
    .description(
      tr(
        'list the names of the stored secrets, without their values',
        '列出已保存密钥的名称，不显示密钥的值',
      ),
    )
    .action(async ({ home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      printAnswer(await client.get<SecretList>('/api/secrets'), json, describeSecrets);
    });

  withSignature(command.command('set'), { '<name>': nameMeaning, ...homeOption, ...jsonOption })
    .description(
      tr(
        'store a secret; its value is read from stdin or from a hidden prompt',
        '保存密钥；从 stdin 读取密钥的值，或以不回显的方式输入',
      ),
    )
    .addHelpText('after', setHelp + exitCodesText)
    .action(async (name: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const value = await readValue(name);
      printAnswer(await client.put<SecretChanged>(pathOf(name), { value }), json, describeChange);
    });

  withSignature(command.command('rm').alias('remove'), {
    '<name>': nameMeaning,
    ...homeOption,
    ...jsonOption,
  })
    .description(tr('remove a stored secret', '删除已保存的密钥'))
    .action(async (name: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      printAnswer(await client.delete<SecretChanged>(pathOf(name)), json, describeChange);
    });
}

const setHelp = helpText(
  [
    'hob secret set github-hook',
    'hob secret set github-hook < secret.txt',
    'openssl rand -hex 32 | hob secret set deploy',
  ],
  `The value is not an argument, because every user of the machine can see the arguments of a process, and the
shell keeps them in its history. One line break at the end of stdin is not part of the value.
`,
  `密钥的值不能写在命令参数中：本机的所有用户都能看到进程的参数，shell 还会把它们记入历史。
stdin 末尾的一个换行不属于密钥的值。
`,
);

function pathOf(name: string): string {
  return `/api/secrets/${encodeURIComponent(name)}`;
}

async function readValue(name: string): Promise<string> {
  if (canAsk())
    return ask(tr(`Value of ${name} (not shown): `, `${name} 的值（不显示）：`), {
      isSecret: true,
      onCancel: tr('Nothing was stored.', '没有保存任何内容。'),
    });
  const bytes = await buffer(process.stdin);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw usageError('The value on stdin is not text in UTF-8.', 'stdin 中的值不是 UTF-8 文本。');
  }
}

function describeChange({ message }: SecretChanged): string {
  return `${printable(message)}${tr('.', '。')}\n`;
}

const columns: readonly Column<Secret>[] = [
  [tr('NAME', '名称'), ({ name }) => name],
  [tr('SET', '保存时间'), ({ set_at }) => formatMinute(set_at)],
  [tr('LAST USED', '最近使用'), ({ used_at }) => (used_at === null ? '-' : formatMinute(used_at))],
];

function describeSecrets({ items, key_file }: SecretList, lineWidth?: number): string {
  if (items.length === 0)
    return tr(
      'No secrets are stored yet. To store one: hob secret set NAME\n',
      '还没有保存任何密钥。保存一个：hob secret set NAME\n',
    );
  const key = tr(
    `Encrypted with the key in ${printable(key_file)}, which only you can read.`,
    `以 ${printable(key_file)} 中的密钥加密，该文件只有您本人可以读取。`,
  );
  return `${[...formatTable(items, columns, lineWidth), '', key].join('\n')}\n`;
}
