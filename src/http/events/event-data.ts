import type { DownloadView } from '../../models/downloads/download.ts';
import type { Notification } from '../../notifications/notifications.ts';
import type { Report } from '../../runs/events/progress.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import { downloadAnswer } from '../download-answer.ts';
import { runAnswer } from '../run-answer.ts';
import { jsonLine } from '../send-json.ts';

/** A notification may be as long as a body; an event is read by everybody, and kept. */
const longestMessage = 1000;

/** What goes out with an event, each as one line of JSON. */
export const eventData = {
  run: (run: BriefRun) => jsonLine(runAnswer(run)),

  progress: (report: Report) =>
    jsonLine({
      run_id: report.runId,
      script_id: report.scriptId,
      script_name: report.scriptName,
      fraction: report.fraction,
      message: report.message,
      at: report.at,
    }),

  notification: ({ type, message, runId }: Notification, scriptName: string | null, at: Date) =>
    jsonLine({
      notify_type: type,
      message: message === null ? null : cutMessage(message),
      run_id: runId,
      script_name: scriptName,
      at: at.toISOString(),
    }),

  download: (download: DownloadView, at: Date) =>
    jsonLine({ ...downloadAnswer(download, 'en'), at: at.toISOString() }),

  scripts: (count: { scripts: number; problems: number }, at: Date) =>
    jsonLine({ scripts: count.scripts, problems: count.problems, at: at.toISOString() }),
};

export function cutMessage(message: string): string {
  if (message.length <= longestMessage) return message;
  // Half of a surrogate pair is no character.
  return message.slice(0, longestMessage).replace(/[\ud800-\udbff]$/, '');
}
