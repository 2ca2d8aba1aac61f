import Type from 'typebox';
import { OptionalText, Text } from './common.ts';
import type { BriefRun, Download, Notification, Operation } from './types.ts';

type RunProgress = {
  run_id: string;
  script_id: string;
  script_name: string;
  fraction: number | null;
  message: string | null;
  at: string;
};

/** Output at an offset in bytes, or a gap where output was not kept. `base64` is present if the bytes are not UTF-8. */
export type OutputPart =
  | { offset: number; bytes: number; text: string; base64?: string; missing?: never }
  | { offset: number; missing: number; bytes?: never; text?: never; base64?: never };

/** The data of each type of event. The stream of a run sends only types that begin with `run.`, and is the only one with `run.output`. */
interface DataByType {
  'run.queued': BriefRun;
  'run.started': BriefRun;
  'run.ended': BriefRun;
  'run.progress': RunProgress;
  'run.output': OutputPart & { run_id: string; stream: 'stdout' | 'stderr' };
  /** `page`: the page of the console that shows the same, if there is one. */
  notification: Omit<Notification, 'script_id'> & { page?: string };
  'model.progress': Download & { at: string };
  'package.progress': Operation & { at: string };
  'scripts.changed': { scripts: number; problems: number; at: string };
  'agents.changed': { questions: number; at: string };
  /** Events after `after` have been deleted; the stream continues with `next`. */
  'events.missed': { after: number; next: number };
}

/** Every event that the streams send. */
export type ServiceEvent = {
  [Name in keyof DataByType]: { readonly type: Name; readonly data: DataByType[Name] };
}[keyof DataByType];

export type EventData<Name extends ServiceEvent['type']> = Extract<ServiceEvent, { type: Name }>['data'];

export const EventsQuery = Type.Object({
  since: OptionalText(
    'Id of the last event received. Same as the header `Last-Event-ID`, for clients that cannot set it.',
  ),
  types: OptionalText('The event types to send, separated by commas. Absent: all.'),
});

export const EventsHeaders = Type.Object({
  'last-event-id': OptionalText('Id of the last event received. The stream starts with the events after it.'),
});

export const RunEventsQuery = Type.Object({ since: EventsQuery.properties.since });

export const NothingMore = Type.Null({
  description: 'The run has ended, and the client has received all its events.',
});

/** Only the answer 200 is a stream. Errors are JSON, as everywhere. */
export const EventsAnswer = {
  description: 'Events as they happen.',
  content: {
    'text/event-stream': { schema: Text('Each event has an id, a type and one line of JSON data.') },
  },
};
