import { tr } from '../language.ts';
import { DrawnLine, type Screen } from '../terminal/drawn-line.ts';
import { formatBytes, formatCount } from '../terminal/quantities.ts';
import { cutToWidth, printable } from '../terminal/text-width.ts';
import { type Operation, titleOf } from './operation.ts';

/** Shows the progress of an operation and its preparation log. */
export interface OperationDisplay {
  show(operation: Operation): void;
  /** One line of the log. */
  log(line: string): void;
  /** Removes the progress line. */
  clear(): void;
}

const stages: Readonly<Record<string, string>> = {
  fetching: tr('fetching', '正在获取'),
  checking: tr('checking', '正在检查'),
  preparing: tr('preparing the environment', '正在准备运行环境'),
  switching: tr('activating', '正在启用'),
};
const logIndent = '  | ';

/** On a terminal, one line below the log that is redrawn; elsewhere, one line per stage. */
export function operationDisplay(
  screen: Screen,
  subject: string,
  dim: (text: string) => string,
): OperationDisplay {
  const logLine = (line: string) => `${dim(logIndent + printable(line))}\n`;
  if (screen.isTTY !== true) {
    let shownStage: string | null = null;
    return {
      show(operation) {
        if (operation.state !== 'running' || operation.stage === shownStage) return;
        shownStage = operation.stage;
        screen.write(`${progressSentence(operation, subject)}\n`);
      },
      log: (line) => screen.write(logLine(line)),
      clear() {},
    };
  }
  const drawn = new DrawnLine(screen);
  let last: Operation | null = null;
  const draw = (operation: Operation) =>
    drawn.draw((columns) => cutToWidth(progressSentence(operation, subject), columns));
  return {
    show(operation) {
      last = operation;
      draw(operation);
    },
    log(line) {
      drawn.writeAbove(logLine(line));
      if (last !== null) draw(last);
    },
    clear() {
      last = null;
      drawn.clear();
    },
  };
}

/** The current stage: `Resize images 1.0.0: fetching, 12 entries, 3.4 MB`. */
export function progressSentence(operation: Operation, subject: string): string {
  const { stage, entriesDone, bytesDone } = operation;
  const now = stages[stage ?? ''] ?? tr('waiting', '等待中');
  const what = `${titleOf(operation, subject)}${tr(': ', '：')}${now}`;
  const isFetching = stage === 'fetching' && entriesDone + bytesDone > 0;
  const amounts = [
    ...(entriesDone > 0 ? [tr(formatCount(entriesDone, 'file'), `${entriesDone} 个文件`)] : []),
    ...(bytesDone > 0 ? [formatBytes(bytesDone)] : []),
  ];
  return isFetching ? [what, ...amounts].join(tr(', ', '，')) : `${what} ...`;
}
