/** Ends a switch over a union: a new member does not compile until someone decides what to do with it. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
