import { usageError } from '../user-error.ts';

/** Modifiers in the order in which GTK writes them, with the other names that users and desktops write. */
const modifiers = [
  ['control', ['primary', 'ctrl', 'ctl', 'control']],
  ['shift', ['shift', 'shft']],
  ['alt', ['alt', 'mod1', 'option']],
  ['super', ['super', 'mod4', 'win', 'windows', 'meta', 'cmd']],
] as const;
type Modifier = (typeof modifiers)[number][0];

/** A combination of keys, such as <Super>r. */
export interface Accelerator {
  readonly modifiers: readonly Modifier[];
  /** A name of X11: letters in lower case, or a name such as F5 or Return. */
  readonly key: string;
}

/** Null if the text is not a combination. Accepts `<Super>r` and `Super+R`. */
export function readAccelerator(text: string): Accelerator | null {
  const [, brackets = '', plain = ''] = /^((?:<[^<>]+>)*)(.*)$/s.exec(text.trim()) ?? [];
  const names =
    brackets === ''
      ? plain.split('+')
      : [...[...brackets.matchAll(/<([^<>]+)>/g)].map(([, name = '']) => name), plain];
  const key = (names.pop() ?? '').trim();
  const found = names.map((name) => modifierOf(name.trim()));
  if (!/^\w+$/.test(key) || modifierOf(key) !== null || found.includes(null)) return null;
  return {
    modifiers: modifiers.map(([name]) => name).filter((name) => found.includes(name)),
    key: key.length === 1 ? key.toLowerCase() : key,
  };
}

function modifierOf(name: string): Modifier | null {
  const lower = name.toLowerCase();
  return modifiers.find(([, names]) => names.some((each) => each === lower))?.[0] ?? null;
}

/** The keys of a command line. A plain letter would no longer be typed into any window, so it is refused. */
export function acceleratorArgument(text: string): Accelerator {
  const accelerator = readAccelerator(text);
  if (accelerator === null)
    throw usageError(
      `"${text}" is not a combination of keys. Write it like <Super>r or Ctrl+Alt+R.`,
      `“${text}” 不是按键组合。请写成 <Super>r 或 Ctrl+Alt+R 的形式。`,
    );
  const isPlain = accelerator.modifiers.every((modifier) => modifier === 'shift');
  if (isPlain && !/^(?:F\d+|XF86\w+|Print|Pause|Menu)$/.test(accelerator.key))
    throw usageError(
      `"${text}" needs Ctrl, Alt or Super: without one of them, the key could no longer be typed.`,
      `“${text}” 需要加上 Ctrl、Alt 或 Super，否则这个键将无法再用于输入。`,
    );
  return accelerator;
}

const names: Readonly<Record<Modifier, string>> = {
  control: '<Primary>',
  shift: '<Shift>',
  alt: '<Alt>',
  super: '<Super>',
};

/** As GTK writes it, which is how GNOME and Xfce store it. */
export function acceleratorText({ modifiers: given, key }: Accelerator): string {
  return given.map((modifier) => names[modifier]).join('') + key;
}

export function isSameAccelerator(one: Accelerator, text: string): boolean {
  const other = readAccelerator(text);
  return other !== null && acceleratorText(one).toLowerCase() === acceleratorText(other).toLowerCase();
}
