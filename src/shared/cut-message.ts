/** A message may be as long as a body; it is kept, and read by everybody. */
const longestMessage = 1000;

export function cutMessage(message: string): string {
  if (message.length <= longestMessage) return message;
  // Half of a surrogate pair is no character.
  return message.slice(0, longestMessage).replace(/[\ud800-\udbff]$/, '');
}
