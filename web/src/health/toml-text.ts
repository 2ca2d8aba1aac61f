/** A value as it is written in the file of settings. */
export function tomlText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
