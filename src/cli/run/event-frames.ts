import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';

export interface SeenEvent {
  readonly type: string;
  /** From where to go on after it. */
  readonly id: string;
  readonly data: JsonObject;
}

/** The events in an answer, as they come. */
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

/** Comments and what else has no data is none. */
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
