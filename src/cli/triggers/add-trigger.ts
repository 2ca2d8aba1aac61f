import { stat } from 'node:fs/promises';

import type { ScriptDetail, Trigger, TriggerChecked, TriggerList } from '../../contract/types.ts';
import { expandHome } from '../../shared/expand-home.ts';
import type { JsonObject } from '../../shared/json.ts';
import { quoteWord } from '../command-lines.ts';
import { findScript } from '../find-script.ts';
import { tr } from '../language.ts';
import { poll } from '../poll.ts';
import { RefusedError, ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import { exitCodes, UserError, usageError } from '../user-error.ts';
import { describeCheck } from './describe-triggers.ts';
import { type AddOptions, checkOptions, fieldsOf, kindOf, suggestionOf } from './trigger-fields.ts';
import { describeNewSecret, type NewSecret, provideSecret, removeNewSecret } from './webhook-secret.ts';

/** `hob triggers add`: checks a trigger, and stores it unless this is a dry run. */
export async function addTrigger(wanted: string, options: AddOptions): Promise<void> {
  checkOptions(options);
  const client = await ServiceClient.find(options.home);
  const script = await findScript(client, wanted);
  const list = await client.get<TriggerList>('/api/triggers');
  const suggestion = suggestionOf(script, options, list);
  const kind = suggestion?.kind ?? kindOf(options);
  const id = options.id ?? freeId(script, options.from, list);
  if (options.id !== undefined && list.items.some((other) => other.id === id)) throw idTaken(id);
  const fields = await fieldsOf(options, { script, kind, suggestion, id });
  const checked = await client.post<TriggerChecked>('/api/triggers/check', { id, ...fields });
  const mistakes = checked.problems.filter(({ field }) => kind !== 'webhook' || field !== 'secret');
  if (mistakes.length > 0) throw unusable(mistakes);
  if (options.dryRun === true) return showCheck(id, checked, options);
  const secret = kind === 'webhook' ? await provideSecret(client, secretOf(fields), options) : null;
  const isNamed = options.id !== undefined || kind === 'webhook';
  const create = isNamed
    ? createTrigger(client, id, fields)
    : createUnderFreeId(client, { script, options, list }, fields);
  const made = await create.catch(async (error) => {
    await removeNewSecret(client, secret);
    throw error;
  });
  if (options.json === true) return printJson(secret === null ? made : { ...made, new_secret: secret.value });
  process.stdout.write(describeMade(await withFolderProblem(client, made), list.file, secret));
}

function createTrigger(client: ServiceClient, id: string, fields: JsonObject): Promise<Trigger> {
  return client.create<Trigger>(`/api/triggers/${encodeURIComponent(id)}`, fields);
}

/** Another command may create a trigger with the same free id at the same time. */
async function createUnderFreeId(
  client: ServiceClient,
  { script, options, list }: { script: ScriptDetail; options: AddOptions; list: TriggerList },
  fields: JsonObject,
): Promise<Trigger> {
  try {
    return await createTrigger(client, freeId(script, options.from, list), fields);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== 'trigger-exists') throw error;
    const current = await client.get<TriggerList>('/api/triggers');
    return createUnderFreeId(client, { script, options, list: current }, fields);
  }
}

const firstLook = { everyMs: 50, withinMs: 3000 };

/** The service looks at a folder only after it has answered. If the folder is missing, waits for the problem that it finds. */
async function withFolderProblem(client: ServiceClient, made: Trigger): Promise<Trigger> {
  const path = folderOf(made);
  if (path === null || made.state === 'off' || made.problems.length > 0) return made;
  const isFolder = await stat(expandHome(path)).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return made;
  const looked = await poll(async () => {
    const trigger = await client.get<Trigger>(`/api/triggers/${encodeURIComponent(made.id)}`);
    return trigger.problems.length > 0 ? trigger : null;
  }, firstLook);
  return looked ?? made;
}

/** The folder of a folder trigger. */
function folderOf({ kind, values: { path } }: Trigger): string | null {
  return kind === 'folder' && typeof path === 'string' ? path : null;
}

const longestId = 64;

/** The slug of the script, with the name of the suggestion, and with a number if another trigger has this id. */
function freeId({ slug }: ScriptDetail, from: string | undefined, { items }: TriggerList): string {
  const base = [slug, (from ?? '').replace(/^package:/, '')]
    .map((part) =>
      part
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, ''),
    )
    .filter((part) => part !== '')
    .join('-');
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `-${number}`;
    const id = base.slice(0, longestId - ending.length).replace(/-$/, '') + ending;
    if (!items.some((other) => other.id === id)) return id;
  }
}

function secretOf({ secret, signature }: JsonObject): { name: string; signature: string } {
  return { name: String(secret), signature: typeof signature === 'string' ? signature : 'token' };
}

function idTaken(id: string): UserError {
  return usageError(
    `There already is a trigger "${printable(id)}". Choose another --id, or remove that one: hob triggers remove ${quoteWord(id)}`,
    `已有名为 “${printable(id)}” 的触发器。请换一个 --id，或删除原有的：hob triggers remove ${quoteWord(id)}`,
  );
}

function unusable(problems: TriggerChecked['problems']): UserError {
  const lines = problems.map(({ message, advice }) => `${message}${tr('.', '。')} ${advice}`);
  return new UserError(printable(lines.join('\n')), exitCodes.usage);
}

function showCheck(
  id: string,
  { words, next, problems }: TriggerChecked,
  { json }: Pick<AddOptions, 'json'>,
): void {
  if (json === true) printJson({ id, words, next, problems });
  else {
    const notes = problems.map(
      ({ message }) => `${tr('Note: ', '提示：')}${printable(message)}${tr('.', '。')}\n`,
    );
    process.stdout.write(
      describeCheck({ words, next }) + notes.join('') + tr('Nothing was stored.\n', '没有保存任何内容。\n'),
    );
  }
}

function describeMade(made: Trigger, file: string, secret: NewSecret | null): string {
  const { id, problems, state, address } = made;
  const lines = [
    tr(`Added the trigger ${id} to ${printable(file)}`, `已把触发器 ${id} 添加到 ${printable(file)}`),
    describeCheck(made).trimEnd(),
    ...(address === null
      ? []
      : [`${tr('Address for the sender: ', '发送方使用的地址：')}${printable(address)}`]),
    ...(secret === null ? [] : describeNewSecret(secret)),
    ...problems.flatMap(({ message, advice }) => [
      `${tr('It does not work yet: ', '目前还不能工作：')}${printable(message)}${tr('.', '。')}`,
      `  ${printable(advice)}`,
    ]),
    state === 'off'
      ? tr(
          `It is paused. To switch it on: hob triggers resume ${id}`,
          `触发器处于暂停状态。开启：hob triggers resume ${id}`,
        )
      : howToTry(made),
  ];
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

function howToTry(made: Trigger): string {
  const fire = `hob triggers fire ${made.id}`;
  const path = folderOf(made);
  if (path !== null) {
    const place = printable(path);
    return tr(`To try it now, copy a file to ${place}`, `现在试一次：把一个文件复制到 ${place}`);
  }
  return made.kind === 'webhook'
    ? tr(`To try its script with an empty delivery: ${fire}`, `用空请求试运行脚本：${fire}`)
    : tr(`To try it now: ${fire}`, `现在试一次：${fire}`);
}
