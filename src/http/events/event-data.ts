import type { EventData } from '../../contract/events.ts';
import type { DownloadView } from '../../models/downloads/download.ts';
import type { KeptNotification } from '../../notifications/notification-store.ts';
import type { OperationView } from '../../packages/operations/operation.ts';
import type { Report } from '../../runs/progress-board.ts';
import { downloadAnswer } from '../models.ts';
import { notificationAnswer } from '../notifications.ts';
import { operationAnswer } from '../packages.ts';
import { runLine } from '../runs/run-answer.ts';
import { jsonLine } from '../send-json.ts';

/** The data of each kind of event, as one line of JSON. */
export const eventData = {
  run: runLine,

  progress: (report: Report) =>
    jsonLine<EventData<'run.progress'>>({
      run_id: report.runId,
      script_id: report.scriptId,
      script_name: report.scriptName,
      fraction: report.fraction,
      message: report.message,
      at: report.at,
    }),

  output: (output: EventData<'run.output'>) => JSON.stringify(output),

  notification: ({ page, ...notification }: KeptNotification & { page?: string }) => {
    const { script_id: _omitted, ...shown } = notificationAnswer(notification);
    return jsonLine<EventData<'notification'>>({ ...shown, ...(page !== undefined && { page }) });
  },

  download: (download: DownloadView, at: Date) =>
    jsonLine<EventData<'model.progress'>>({ ...downloadAnswer(download, 'en'), at: at.toISOString() }),

  operation: (operation: OperationView, at: Date) =>
    jsonLine<EventData<'package.progress'>>({ ...operationAnswer(operation, 'en'), at: at.toISOString() }),

  scripts: ({ scripts, problems }: { scripts: number; problems: number }, at: Date) =>
    jsonLine<EventData<'scripts.changed'>>({ scripts, problems, at: at.toISOString() }),

  agents: ({ questions }: { questions: number }, at: Date) =>
    jsonLine<EventData<'agents.changed'>>({ questions, at: at.toISOString() }),

  missed: (missed: EventData<'events.missed'>) => jsonLine(missed),
};
