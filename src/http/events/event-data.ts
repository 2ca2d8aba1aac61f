import type { DownloadView } from '../../models/downloads/download.ts';
import type { KeptNotification } from '../../notifications/notification-store.ts';
import type { OperationView } from '../../packages/package-operation.ts';
import type { Report } from '../../runs/ledger.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import { downloadAnswer } from '../download-answer.ts';
import { operationAnswer } from '../operation-answer.ts';
import { runAnswer } from '../run-answer.ts';
import { jsonLine } from '../send-json.ts';

/** The data of each kind of event, as one line of JSON. */
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

  notification: (notification: KeptNotification) =>
    jsonLine({
      notification_id: notification.id,
      notify_type: notification.type,
      message: notification.message,
      duration: notification.durationMs,
      show_close: notification.showClose,
      run_id: notification.runId,
      script_name: notification.scriptName,
      at: notification.at,
    }),

  download: (download: DownloadView, at: Date) =>
    jsonLine({ ...downloadAnswer(download, 'en'), at: at.toISOString() }),

  operation: (operation: OperationView, at: Date) =>
    jsonLine({ ...operationAnswer(operation, 'en'), at: at.toISOString() }),

  scripts: (count: { scripts: number; problems: number }, at: Date) =>
    jsonLine({ scripts: count.scripts, problems: count.problems, at: at.toISOString() }),
};
