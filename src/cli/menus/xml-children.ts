/** A part of an XML document, by its offsets in the text. */
export interface XmlElement {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Where its content begins and ends; both equal `end` for an empty-element tag such as <a/>. */
  readonly contentStart: number;
  readonly contentEnd: number;
}

export interface XmlDocument {
  readonly root: XmlElement;
  /** The elements directly inside the root. */
  readonly children: readonly XmlElement[];
}

interface OpenTag {
  readonly name: string;
  readonly start: number;
  readonly contentStart: number;
}

const attribute = /[^\s<>/="']+\s*=\s*(?:"[^<"]*"|'[^<']*')/;
const startTag = new RegExp(`<([^\\s<>/!?="']+)((?:\\s+${attribute.source})*)\\s*(/?)>`, 'y');
const endTag = /<\/([^\s<>/]+)\s*>/y;
const comment = /<!--(?:(?!--)[\s\S])*-->/y;
const instruction = /<\?(?:(?!\?>)[\s\S])*\?>/y;
const cdata = /<!\[CDATA\[(?:(?!\]\]>)[\s\S])*\]\]>/y;
const doctype =
  /<!DOCTYPE(?:"[^"]*"|'[^']*'|\[(?:"[^"]*"|'[^']*'|<!--(?:(?!--)[\s\S])*-->|[^\]"'<]|<(?!!--))*\]|[^<>"'[\]])*>/y;
const characters = /(?:[^<&]|&(?:[a-zA-Z]+|#\d+|#x[\da-fA-F]+);)+/y;

/**
 * Finds the root of an XML document and its children, so that a part of the text can be replaced and the rest stays as it is. Null if
 * the text is not well-formed.
 */
export function findXmlChildren(text: string): XmlDocument | null {
  const open: OpenTag[] = [];
  const children: XmlElement[] = [];
  let root: XmlElement | null = null;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const close = (tag: OpenTag, contentEnd: number) => {
    const element = { ...tag, contentEnd, end: at };
    if (open.length === 0) root = element;
    if (open.length === 1) children.push(element);
  };
  while (at < text.length) {
    const start = at;
    if (match(comment) || match(instruction)) continue;
    if (open.length === 0 && root === null && match(doctype)) continue;
    const opened = root === null || open.length > 0 ? match(startTag) : null;
    if (opened !== null) {
      const [, name = '', , isEmpty] = opened;
      const tag = { name, start, contentStart: at };
      if (isEmpty === '/') close(tag, at);
      else open.push(tag);
      continue;
    }
    const ended = match(endTag);
    if (ended !== null) {
      const tag = open.pop();
      if (tag === undefined || tag.name !== ended[1]) return null;
      close(tag, start);
      continue;
    }
    if (open.length > 0 && (match(cdata) || match(characters))) continue;
    // Only white space may surround the root.
    if (!match(/\s+/y)) return null;
  }
  return root === null || open.length > 0 ? null : { root, children };
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The text of an element without children. */
export function xmlTextOf(text: string, { contentStart, contentEnd }: XmlElement): string {
  return text
    .slice(contentStart, contentEnd)
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/&(?:#(\d+)|#x([\da-fA-F]+)|([a-zA-Z]+));/g, (whole, decimal, hex, name) => {
      if (name !== undefined) return entities.get(name) ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}
