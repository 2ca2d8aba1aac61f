/** The value of a string in a file of GLib or of the Desktop Entry specification. */
export function keyFileValue(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  // Spaces before a value are not part of it.
  return escaped.replace(/^ /, '\\s');
}

/** The value of a list of strings. */
export function keyFileList(items: readonly string[]): string {
  return items.map((item) => `${keyFileValue(item).replaceAll(';', '\\;')};`).join('');
}

/** The command of a desktop entry. It is escaped twice: as a word of the command, and as a value of the file. */
export function execValue(words: readonly string[], fieldCode = ''): string {
  const quoted = words.map(
    (word) => `"${word.replace(/[\\"`$]/g, (character) => `\\${character}`).replaceAll('%', '%%')}"`,
  );
  return keyFileValue([...quoted, ...(fieldCode === '' ? [] : [fieldCode])].join(' '));
}
