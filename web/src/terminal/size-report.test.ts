import { describe, expect, it } from 'vitest';

import { RefusedError, UnreachableError } from '../api/call-service.ts';
import { SizeReport, type TerminalSize } from './size-report.ts';

const sizeOf = (columns: number): TerminalSize => ({ columns, rows: 24 });

function openReport(errors: (Error | null)[]) {
  const sent: number[] = [];
  const report = new SizeReport({
    send: async ({ columns }) => {
      sent.push(columns);
      const error = errors.shift() ?? null;
      if (error !== null) throw error;
    },
    pause: async () => {},
  });
  return { report, sent };
}

describe('SizeReport', () => {
  it('sends the latest size, and skips sizes in between', async () => {
    const { report, sent } = openReport([]);
    for (const columns of [80, 81, 82, 100]) report.report(sizeOf(columns));
    await expect.poll(() => sent).toEqual([80, 100]);
  });

  it('retries with the latest size while the service is unreachable', async () => {
    const { report, sent } = openReport([new UnreachableError(null), null]);
    report.report(sizeOf(80));
    report.report(sizeOf(90));
    await expect.poll(() => sent).toEqual([80, 90]);
  });

  it('gives up if the service refuses', async () => {
    const { report, sent } = openReport([new RefusedError(409, null)]);
    report.report(sizeOf(80));
    await expect.poll(() => sent).toEqual([80]);
  });
});
