/** A message may be as long as a body; it is kept, and read by everybody. */
const longestMessage = 1000;

/** The beginning of a message that is too long, and a sign that there was more. */
export function cutMessage(message: string): string {
  if (message.length <= longestMessage) return message;
  // Half of a surrogate pair is no character.
  return `${message.slice(0, longestMessage - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
