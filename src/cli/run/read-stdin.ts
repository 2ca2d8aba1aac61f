import { tr } from '../language.ts';
import { exitCodes, UserError } from '../user-error.ts';

/** Stdin of the command. It can be read only once. */
export class PipedInput {
  #isTaken = false;

  async read(): Promise<string> {
    if (this.#isTaken)
      throw new UserError(
        tr(
          'stdin can be read only once: either for - or for one -p value.',
          '标准输入只能读取一次：要么用于 -，要么用于一个 -p 的值。',
        ),
        exitCodes.usage,
      );
    this.#isTaken = true;
    process.stdin.setEncoding('utf8');
    let text = '';
    for await (const chunk of process.stdin) text += chunk;
    return text;
  }
}
