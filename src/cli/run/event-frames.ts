import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';

export interface SeenEvent {
  readonly type: string;
  /** The position from which a client resumes after this event. */
  readonly id: string;
  readonly data: JsonObject;
}

/** Yields the events of an SSE response as they arrive. */
export async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<SeenEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const event = readFrame(frame);
      if (event !== null) yield event;
    }
  }
}

/** Null for comments and other frames without data. */
function readFrame(frame: string): SeenEvent | null {
  const fields = new Map<string, string>();
  for (const line of frame.split('\n')) {
    const at = line.indexOf(': ');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2));
  }
  const text = fields.get('data');
  if (text === undefined) return null;
  const data: Json = JSON.parse(text);
  return {
    type: fields.get('event') ?? '',
    id: fields.get('id') ?? '',
    data: isJsonObject(data) ? data : {},
  };
}
