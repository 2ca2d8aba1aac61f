import type { Argument, Command, Option } from 'commander';

/** What the word that is being typed stands for. */
export type Place =
  | {
      readonly kind: 'word';
      readonly command: Command;
      readonly argument: Argument | null;
      readonly mayBeOption: boolean;
      /** Whether it may be the name of a subcommand, which comes before all arguments. */
      readonly mayBeCommand: boolean;
    }
  | {
      readonly kind: 'value';
      readonly command: Command;
      readonly option: Option;
      /** The arguments before it. */
      readonly words: readonly string[];
    };

/** Walks from the program along words that were typed before, as the library would read them. */
export function findPlace(program: Command, before: readonly string[]): Place {
  let command = program;
  const taken: string[] = [];
  let onlyArguments = false;
  let wants: Option | null = null;
  for (const word of before) {
    if (wants !== null && !(wants.variadic && word.startsWith('-'))) {
      // One that takes several takes all words up to the next option.
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

/** The option of this name, if a value follows it as a word of its own. */
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

/** The last one may stand for many. */
function argumentAt(command: Command, index: number): Argument | null {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : null);
}
