const longest = 120;

/** Invisible characters, and characters that change the display order, could disguise a name. */
const unprintable =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/gu;

/** Formats a name from a package for a message: quoted, fully visible and of limited length. */
export function showName(name: string): string {
  const visible = name.replace(unprintable, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
  const characters = Array.from(visible);
  return characters.length <= longest ? `"${visible}"` : `"${characters.slice(0, longest).join('')}…"`;
}
