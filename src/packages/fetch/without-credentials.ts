/** Wherever an address stands in a text: without the name and the password that may be in it. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s'"]*@/gi, '$1');
}
