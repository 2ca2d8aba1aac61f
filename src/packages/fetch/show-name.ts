const longest = 120;

/** Characters that do not show, or that make others show in another order: a name must not look like something else. */
const unprintable =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/gu;

/** A name from a package as it stands in a message: in quotes, all of it visible, and not longer than a message should be. */
export function showName(name: string): string {
  const visible = name.replace(unprintable, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
  const characters = Array.from(visible);
  return characters.length <= longest ? `"${visible}"` : `"${characters.slice(0, longest).join('')}…"`;
}
