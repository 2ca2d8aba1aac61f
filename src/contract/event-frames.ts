/** An event of a stream, as it arrives. */
export interface EventFrame {
  /** The position from which a client resumes after this event. */
  readonly id: string;
  /** Empty for a frame that only states a position. */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads the events of a stream (server-sent events) from text that arrives in pieces. */
export class EventFrames {
  #rest = '';

  /** The events that this piece completes. */
  take(piece: string): EventFrame[] {
    const frames = (this.#rest + piece).split('\n\n');
    this.#rest = frames.pop() ?? '';
    return frames.map(readFrame).filter((frame) => frame !== null);
  }
}

/** Null for comments. */
function readFrame(text: string): EventFrame | null {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf(': ');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2));
  }
  const id = fields.get('id');
  if (id === undefined) return null;
  const data: unknown = JSON.parse(fields.get('data') ?? '{}');
  return {
    id,
    type: fields.get('event') ?? '',
    data: typeof data === 'object' && data !== null ? { ...data } : {},
  };
}
