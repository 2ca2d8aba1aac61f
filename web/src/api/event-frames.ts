export interface ServiceEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Yields the events of a stream as they arrive. Throws if nothing arrives for `silenceMs`. */
export async function* eventsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  silenceMs: number,
): AsyncGenerator<ServiceEvent, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, silenceMs);
      if (done) return;
      const frames = (rest + value).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const event = readFrame(frame);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Only the read is timed: the time that a consumer spends on an event does not count as silence. */
function readWithin(
  reader: ReadableStreamDefaultReader<string>,
  ms: number,
): Promise<ReadableStreamReadResult<string>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the stream has fallen silent')), ms);
    reader
      .read()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/** Returns null for comments. A frame with an id alone has an empty type. */
function readFrame(frame: string): ServiceEvent | null {
  const fields = new Map<string, string>();
  for (const line of frame.split('\n')) {
    const at = line.indexOf(': ');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2));
  }
  const id = fields.get('id');
  if (id === undefined) return null;
  const text = fields.get('data');
  const data: unknown = text === undefined ? {} : JSON.parse(text);
  return {
    id,
    type: fields.get('event') ?? '',
    data: typeof data === 'object' && data !== null ? { ...data } : {},
  };
}
