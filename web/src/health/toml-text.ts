/** A value in the notation of the settings file. */
export function tomlText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
