import { styleOfText } from './style-of-text.ts';
import type { TextStyle } from './text-style.ts';

/** Enough for 16 text colours on 256 backgrounds. Further styles are set inline. */
const mostClasses = 4096;

const classes = new WeakMap<TextStyle, string>();
const names = new Map<string, string>();
let sheet: CSSStyleSheet | null = null;

/**
 * The CSS class of a style, created on first use; null if there are too many. Inline styles are many times slower for the browser than
 * classes.
 */
export function classOfText(style: TextStyle): string | null {
  const known = classes.get(style);
  if (known !== undefined) return known;
  const name = nameFor(declarationsOf(style));
  if (name !== null) classes.set(style, name);
  return name;
}

function nameFor(declarations: string): string | null {
  const known = names.get(declarations);
  if (known !== undefined) return known;
  if (names.size >= mostClasses) return null;
  const name = `look-${names.size}`;
  names.set(declarations, name);
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(sheet);
  }
  sheet.insertRule(`.${name} { ${declarations} }`);
  return name;
}

function declarationsOf(style: TextStyle): string {
  return Object.entries(styleOfText(style))
    .map(([property, value]) => `${property.replace(/[A-Z]/g, '-$&').toLowerCase()}: ${value}`)
    .join('; ');
}
