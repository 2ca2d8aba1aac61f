import type { Argument, Command, Option } from 'commander';

/** The role of the word at the cursor. */
export type Place =
  | {
      readonly kind: 'word';
      readonly command: Command;
      readonly argument: Argument | null;
      readonly mayBeOption: boolean;
      /** Whether it can be a subcommand, which is only possible before all arguments. */
      readonly mayBeCommand: boolean;
    }
  | {
      readonly kind: 'value';
      readonly command: Command;
      readonly option: Option;
      /** The arguments before it. */
      readonly words: readonly string[];
    };

/** Parses the words before the cursor in the same way as commander. */
export function findPlace(program: Command, before: readonly string[]): Place {
  let command = program;
  const taken: string[] = [];
  let onlyArguments = false;
  let wants: Option | null = null;
  for (const word of before) {
    if (wants !== null && !(wants.variadic && word.startsWith('-'))) {
      // A variadic option takes all words up to the next option.
      if (!wants.variadic) wants = null;
      continue;
    }
    wants = null;
    if (!onlyArguments && word === '--') onlyArguments = true;
    else if (!onlyArguments && word.startsWith('-')) wants = optionThatWants(command, word);
    else {
      const next: Command | undefined = taken.length === 0 ? subcommandOf(command, word) : undefined;
      if (next === undefined) taken.push(word);
      else command = next;
    }
  }
  if (wants !== null) return { kind: 'value', command, option: wants, words: taken };
  return {
    kind: 'word',
    command,
    argument: argumentAt(command, taken.length),
    mayBeOption: !onlyArguments,
    mayBeCommand: taken.length === 0,
  };
}

/** The option of this name, if it takes a value as a separate word. */
function optionThatWants(command: Command, word: string): Option | null {
  return (
    command.options.find(
      ({ long, short, required, optional }) => (long === word || short === word) && (required || optional),
    ) ?? null
  );
}

function subcommandOf(command: Command, word: string): Command | undefined {
  return command.commands.find((each) => each.name() === word || each.aliases().includes(word));
}

/** The argument at an index; a variadic last argument covers all further ones. */
function argumentAt(command: Command, index: number): Argument | null {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : null);
}
