/** Yields the data of each event of a stream of server-sent events. Other fields and comments are skipped. */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  // The pieces of a line that has not ended, which are joined once: a line can have megabytes.
  let pieces: string[] = [];
  let data: string[] = [];
  for await (const chunk of body) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    for (const [index, piece] of lines.entries()) {
      pieces.push(piece);
      if (index === lines.length - 1) break;
      const line = pieces.join('').replace(/\r$/, '');
      pieces = [];
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      else if (line === '' && data.length > 0) {
        const text = data.join('\n');
        data = [];
        if (text !== '') yield text;
      }
    }
  }
}
