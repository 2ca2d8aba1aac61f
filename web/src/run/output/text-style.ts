/** One of the 256 terminal colours by number, or an RGB colour. */
export type Colour = number | readonly [red: number, green: number, blue: number];

export interface TextStyle {
  readonly ink: Colour | null;
  readonly ground: Colour | null;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
  readonly isInverse: boolean;
}

const plain: TextStyle = {
  ink: null,
  ground: null,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  isInverse: false,
};

const switches: Readonly<Record<number, Partial<TextStyle>>> = {
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  9: { isStruck: true },
  21: { isUnderlined: true },
  22: { isBold: false, isDim: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
  29: { isStruck: false },
  39: { ink: null },
  49: { ground: null },
};

/** The style after the sequence `ESC [ codes m`; null for plain text. Unknown codes are ignored. */
export function styleAfter(style: TextStyle | null, codes: string): TextStyle | null {
  let next = style ?? plain;
  const numbers = numbersIn(codes);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    if (code === 0) next = plain;
    else if (code >= 30 && code <= 37) next = { ...next, ink: code - 30 };
    else if (code >= 40 && code <= 47) next = { ...next, ground: code - 40 };
    else if (code >= 90 && code <= 97) next = { ...next, ink: code - 82 };
    else if (code >= 100 && code <= 107) next = { ...next, ground: code - 92 };
    else if (code === 38 || code === 48) {
      const { colour, used } = readColour(numbers, at + 1);
      if (colour !== null) next = { ...next, [code === 38 ? 'ink' : 'ground']: colour };
      at += used;
    } else next = { ...next, ...switches[code] };
  }
  return isPlain(next) ? null : next;
}

/** `4:3` is a style of underline. `38:2::r:g:b` is a colour with an empty colour space. */
function numbersIn(codes: string): number[] {
  const joined = codes
    .replace(/([34]8):2::/g, '$1:2:')
    .replace(/(^|;)4:(\d)/g, (_all, start, kind) => (kind === '0' ? `${start}24` : `${start}4`));
  return joined.split(/[;:]/).map((part) => Number(part));
}

function readColour(numbers: readonly number[], at: number): { colour: Colour | null; used: number } {
  if (numbers[at] === 5) return { colour: byteAt(numbers, at + 1), used: 2 };
  if (numbers[at] !== 2) return { colour: null, used: 1 };
  const [red, green, blue] = [1, 2, 3].map((step) => byteAt(numbers, at + step));
  if (red == null || green == null || blue == null) return { colour: null, used: 4 };
  return { colour: [red, green, blue], used: 4 };
}

function byteAt(numbers: readonly number[], at: number): number | null {
  const value = numbers[at];
  return value !== undefined && value >= 0 && value <= 255 ? value : null;
}

function isPlain(style: TextStyle): boolean {
  return (
    style.ink === null &&
    style.ground === null &&
    !(style.isBold || style.isDim || style.isItalic) &&
    !(style.isUnderlined || style.isStruck || style.isInverse)
  );
}
