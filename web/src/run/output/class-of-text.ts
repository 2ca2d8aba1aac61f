import { styleOfText } from './style-of-text.ts';
import type { TextStyle } from './text-style.ts';

/** As many as 16 inks on 256 grounds. Pictures in all colours have more, and theirs go one by one. */
const mostClasses = 4096;

const classes = new WeakMap<TextStyle, string>();
const names = new Map<string, string>();
let sheet: CSSStyleSheet | null = null;

/**
 * The class of a style, for which a rule is made when it is first seen; null when there are too many. A browser takes many times as long for
 * an element that brings its own style.
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
