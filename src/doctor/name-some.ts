const most = 5;

/** Names in a sentence; of many, the first few and how many more there are. */
export function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, most).map((name) => `"${name}"`);
  return names.length > most ? `${shown.join(', ')} and ${names.length - most} more` : shown.join(', ');
}
