import { randomUUID } from 'node:crypto';
import { templates } from '../../../scripts/languages.ts';
import { language, tr } from '../../language.ts';
import { ask, canAsk } from '../../terminal/ask.ts';
import { paint } from '../../terminal/print.ts';
import { exitCodes, UserError, usageError } from '../../user-error.ts';
import type { InputKind, NewScript } from './new-script.ts';

interface Choice<Value> {
  readonly value: Value;
  /** The word that selects it; its number works too. */
  readonly word: string;
  readonly meaning: string;
}

async function askText(
  question: string,
  faultOf: (given: string) => Promise<string | null>,
): Promise<string> {
  for (;;) {
    const given = await askLine(question);
    const fault = await faultOf(given);
    if (fault === null) return given;
    complain(fault);
  }
}

/** Asks for one of several choices, by number, word or prefix of the word. Enter selects the first. */
async function askChoice<Value>(question: string, choices: readonly Choice<Value>[]): Promise<Value> {
  process.stderr.write(`\n${paint('bold', question, process.stderr)}\n`);
  for (const [at, { word, meaning }] of choices.entries())
    process.stderr.write(`  ${at + 1}  ${word.padEnd(12)}${paint('dim', meaning, process.stderr)}\n`);
  for (;;) {
    const given = (await askLine(tr('Choose', '请选择'), '1')).toLowerCase() || '1';
    const found = choices.filter(({ word }, at) => given === String(at + 1) || word.startsWith(given));
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) return only.value;
    complain(tr(`Type a number from 1 to ${choices.length}.`, `请输入 1 到 ${choices.length} 之间的数字。`));
  }
}

async function askYesOrNo(question: string): Promise<boolean> {
  for (;;) {
    const given = (await askLine(question, 'n')).toLowerCase();
    if (/^(?:y|yes|是)$/.test(given)) return true;
    if (/^(?:n|no|否)?$/.test(given)) return false;
    complain(tr('Type y or n.', '请输入 y 或 n。'));
  }
}

async function askLine(question: string, fallback = ''): Promise<string> {
  const hint = fallback === '' ? '' : paint('dim', ` [${fallback}]`, process.stderr);
  const prompt = `${paint('bold', question, process.stderr)}${hint}${tr(': ', '：')}`;
  return (await ask(prompt, { onCancel: tr('Nothing was written.', '没有写入任何文件。') })).trim();
}

function complain(fault: string): void {
  process.stderr.write(`  ${paint('yellow', fault, process.stderr)}\n`);
}

export interface NewOptions {
  lang?: string;
  desc?: string;
  input?: InputKind;
  node?: boolean;
  id?: string;
  yes?: boolean;
}

/** Returns why a script with this name cannot be created; null if it can. */
type FaultOf = (name: string) => Promise<string | null>;

const longestName = 100;

/** Collects the properties of a new script from the command line, from prompts and from defaults. */
export async function collectProperties(
  name: string | undefined,
  options: NewOptions,
  faultOfPlace: FaultOf,
): Promise<NewScript> {
  const given = name?.trim();
  if (given !== undefined) {
    const fault = faultOfName(given);
    if (fault !== null) throw new UserError(fault, exitCodes.usage);
    const taken = await faultOfPlace(given);
    if (taken !== null) throw new UserError(taken);
  }
  const mayAsk = options.yes !== true && canAsk();
  const collected = mayAsk ? await interview(given, options, faultOfPlace) : useDefaults(given, options);
  return { ...collected, id: options.id ?? randomUUID() };
}

/** Returns why a name is invalid; null if it is valid. */
function faultOfName(name: string): string | null {
  if (name === '') return tr('A script needs a name.', '脚本需要一个名称。');
  if (/\p{Cc}/u.test(name))
    return tr(
      'A name must be a single line without tabs or other control characters.',
      '名称只能是一行，不能有制表符之类的字符。',
    );
  if ([...name].length > longestName)
    return tr(`A name can have at most ${longestName} characters.`, `名称最多 ${longestName} 个字符。`);
  return null;
}

type Collected = Omit<NewScript, 'id'>;

/** Fills in the defaults without prompts. The language has a default only with --yes. */
function useDefaults(name: string | undefined, { lang, desc, input, node, yes }: NewOptions): Collected {
  if (name === undefined)
    throw usageError(
      'Specify a name, for example: hob new "My script" --lang python',
      '请给出脚本名称，例如：hob new "我的脚本" --lang python',
    );
  if (lang === undefined && yes !== true)
    throw usageError(
      'Specify the language with --lang, or use --yes to accept the defaults.',
      '请用 --lang 给出语言，或用 --yes 采用默认值。',
    );
  return {
    name,
    language: lang ?? 'python',
    desc: desc ?? '',
    input: input ?? 'files',
    isNode: node === true,
  };
}

async function interview(
  known: string | undefined,
  { lang, desc, input, node }: NewOptions,
  faultOfPlace: FaultOf,
): Promise<Collected> {
  process.stderr.write(
    `${tr('Press Enter to accept the value in brackets. Ctrl-C exits without writing anything.', '直接回车采用方括号里的值。按 Ctrl-C 退出，不会写入任何文件。')}\n\n`,
  );
  const faultOf = async (name: string) => faultOfName(name) ?? (await faultOfPlace(name));
  const descQuestion = tr('Description in one sentence (optional)', '一句话说明它做什么（可以留空）');
  const nodeQuestion = tr('Can other scripts call it (y/n)', '允许其他脚本调用它吗（y/n）');
  const collected = {
    name: known ?? (await askText(tr('Name', '名称'), faultOf)),
    language: lang ?? (await askChoice(tr('Language', '语言'), languageChoices)),
    desc: desc ?? (await askLine(descQuestion)),
    input: input ?? (await askChoice(tr('Input', '处理什么？'), inputChoices)),
    isNode: node ?? (await askYesOrNo(nodeQuestion)),
  };
  process.stderr.write('\n');
  return collected;
}

const languageChoices = templates.map(({ word, meaning }) => ({
  value: word,
  word,
  meaning: meaning[language],
}));

const inputChoices = [
  { value: 'files', word: 'files', meaning: tr('file paths', '文件路径') },
  { value: 'folders', word: 'folders', meaning: tr('folder paths', '文件夹路径') },
  { value: 'text', word: 'text', meaning: tr('text that the user enters', '用户输入的文本') },
  { value: 'none', word: 'none', meaning: tr('only params', '只有参数，没有输入') },
] as const;
