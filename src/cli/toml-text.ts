/** A text as a TOML string. It is escaped as in JSON, plus the DEL character. */
export function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
