/** A message may be as long as a body, but it is stored and shown in lists. */
const longestMessage = 1000;

/** Returns the beginning of a message that is too long, with an ellipsis. */
export function cutMessage(message: string, longest: number = longestMessage): string {
  if (message.length <= longest) return message;
  // Removes half of a surrogate pair at the end.
  return `${message.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
