import { createInterface, type Interface } from 'node:readline';

import { tr } from '../language.ts';
import { paint } from '../terminal/paint.ts';
import { UserError } from '../user-error.ts';

interface Choice<Value> {
  readonly value: Value;
  /** The word that selects it; its number works too. */
  readonly word: string;
  readonly meaning: string;
}

const interruptedCode = 130;

/** Whether prompts are possible: stdin and stderr are terminals. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Prompts on the terminal. Lines typed ahead are used for the next prompts. */
export class Interview {
  readonly #terminal: Interface;
  readonly #typed: string[] = [];
  #take: ((line: string | null) => void) | null = null;
  #isOver = false;

  constructor() {
    this.#terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
    this.#terminal.on('line', (line) => {
      if (this.#take === null) this.#typed.push(line);
      else this.#take(line);
    });
    // Ctrl-C or Ctrl-D.
    this.#terminal.on('close', () => {
      this.#isOver = true;
      this.#take?.(null);
    });
  }

  /** Asks for a line of text until it is valid. */
  async text(question: string, faultOf: (given: string) => Promise<string | null>): Promise<string> {
    for (;;) {
      const given = await this.#ask(question);
      const fault = await faultOf(given);
      if (fault === null) return given;
      this.#say(fault);
    }
  }

  /** Asks for one of several choices, by number, word or prefix of the word. Enter selects the first. */
  async choice<Value>(question: string, choices: readonly Choice<Value>[]): Promise<Value> {
    process.stderr.write(`\n${paint('bold', question, process.stderr)}\n`);
    for (const [at, { word, meaning }] of choices.entries())
      process.stderr.write(`  ${at + 1}  ${word.padEnd(12)}${paint('dim', meaning, process.stderr)}\n`);
    for (;;) {
      const given = (await this.#ask(tr('Choose', '请选择'), '1')).toLowerCase() || '1';
      const found = choices.filter(({ word }, at) => given === String(at + 1) || word.startsWith(given));
      const [only, ...others] = found;
      if (only !== undefined && others.length === 0) return only.value;
      this.#say(
        tr(`Type a number from 1 to ${choices.length}.`, `请输入 1 到 ${choices.length} 之间的数字。`),
      );
    }
  }

  async yesOrNo(question: string): Promise<boolean> {
    for (;;) {
      const given = (await this.#ask(question, 'n')).toLowerCase();
      if (/^(?:y|yes|是)$/.test(given)) return true;
      if (/^(?:n|no|否)?$/.test(given)) return false;
      this.#say(tr('Type y or n.', '请输入 y 或 n。'));
    }
  }

  close(): void {
    this.#terminal.close();
  }

  async #ask(question: string, fallback = ''): Promise<string> {
    const hint = fallback === '' ? '' : paint('dim', ` [${fallback}]`, process.stderr);
    this.#terminal.setPrompt(`${paint('bold', question, process.stderr)}${hint}${tr(': ', '：')}`);
    this.#terminal.prompt();
    const line = await this.#nextLine();
    if (line !== null) return line.trim();
    process.stderr.write('\n');
    throw new UserError(tr('Nothing was written.', '没有写入任何文件。'), interruptedCode);
  }

  #nextLine(): Promise<string | null> {
    const typed = this.#typed.shift();
    if (typed !== undefined) return Promise.resolve(typed);
    if (this.#isOver) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#take = (line) => {
        this.#take = null;
        resolve(line);
      };
    });
  }

  #say(complaint: string): void {
    process.stderr.write(`  ${paint('yellow', complaint, process.stderr)}\n`);
  }
}
