/** The longest slug that a manifest may declare. */
const longest = 64;
/** Slugs made from names are cut here, at a hyphen if there is one. */
const longestDerived = 48;

const slugPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Letters that Unicode does not decompose into a base letter and an accent. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** A slug that looks like a UUID would be taken for an id. */
export function isSlug(text: string): boolean {
  return text.length <= longest && slugPattern.test(text) && !isUuid(text);
}

/** Whether a text can be the slug of a script. The number that makes a slug unique may make it longer than a manifest may declare. */
export function isAssigned(text: string): boolean {
  return isSlug(text) || isSlug(text.replace(/-[0-9]+$/, ''));
}

/** A slug made from a text; null if the text has no letter or digit that a slug can contain. */
export function slugFrom(text: string): string | null {
  const words = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[ßæœøłđðþı]/g, (letter) => letters[letter] ?? '')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-');
  const slug = trimHyphens(shortened(trimHyphens(words)));
  return isSlug(slug) ? slug : null;
}

export function hasChinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}

function trimHyphens(text: string): string {
  return text.replace(/^-+|-+$/g, '');
}

function shortened(text: string): string {
  if (text.length <= longestDerived) return text;
  const end = text.lastIndexOf('-', longestDerived);
  return text.slice(0, end > 0 ? end : longestDerived);
}
