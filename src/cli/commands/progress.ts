import type { Command } from 'commander';
import { tr } from '../language.ts';
import { withSignature } from '../options.ts';
import { callHob, fileOption, findRun } from '../this-run.ts';
import { usageError } from '../user-error.ts';

/** A progress report must not delay the script for long. */
const answerWithinMs = 2000;

export function configure(command: Command): void {
  withSignature(command, {
    '<fraction>': ['progress from 0 to 1, or - if it is unknown', '进度，0 到 1；未知时写 -'],
    '[message]': ['description of the current step', '正在做什么'],
    ...fileOption,
  })
    // The message may begin with a dash.
    .allowUnknownOption()
    .addHelpText('after', examples)
    .action(async (word: string, message: string | undefined, { file }: { file?: string }) => {
      const body = { fraction: fractionOf(word), message: message ?? null };
      const run = await findRun(file);
      if (run === null) {
        const share = body.fraction === null ? '' : `${Math.round(body.fraction * 100)}% `;
        process.stderr.write(`${share}${message ?? ''}\n`);
        return;
      }
      // A lost progress report must not make the script fail.
      await callHob(run, '/api/progress', { body, withinMs: answerWithinMs }).catch(() => {});
    });
}

function fractionOf(word: string): number | null {
  if (word === '-') return null;
  const fraction = Number(word);
  if (word.trim() !== '' && fraction >= 0 && fraction <= 1) return fraction;
  throw usageError(
    `Invalid progress "${word}": expected a number from 0 to 1, or -.`,
    `“${word}” 不是 0 到 1 之间的数。`,
  );
}

const examples = tr(
  `
Example: hob progress 0.4 "resizing"
If the report does not reach Hob, the command prints nothing and exits with 0.`,
  `
示例：hob progress 0.4 "正在缩放"
即使 Hob 没有收到，也不会报错，退出码为 0。`,
);
