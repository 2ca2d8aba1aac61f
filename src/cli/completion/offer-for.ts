import type { Command } from 'commander';

import { type Candidate, nothing, type Offer, plain } from './candidate.ts';
import { findPlace } from './find-place.ts';
import { comesFromService, knownParams, knownValues } from './known-values.ts';

/** Names of arguments and option values that are paths. */
const folders: ReadonlySet<string> = new Set(['dir', 'folder']);
const files: ReadonlySet<string> = new Set(['file', 'source', 'path', 'values']);

/** The completions of the last word. The words before it are complete. */
export async function offerFor(program: Command, words: readonly string[]): Promise<Offer> {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const home = homeIn(before);
  // A long option with its value in one word, as in --lang=python.
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  const place = findPlace(program, flag === undefined ? before : [...before, flag]);
  if (flag !== undefined && value !== undefined) {
    if (place.kind !== 'value') return nothing;
    return withPrefix(`${flag}=`, await valuesOf(place.option.argChoices, place.option.flags, value, home));
  }
  if (place.kind === 'value' && place.option.long === '--param' && place.command.name() === 'run') {
    const [script] = place.words;
    return script === undefined
      ? nothing
      : { kind: 'candidates', candidates: await knownParams(script, typed, home) };
  }
  if (place.kind === 'value') return valuesOf(place.option.argChoices, place.option.flags, typed, home);
  const { command, argument, mayBeOption, mayBeCommand } = place;
  if (mayBeOption && typed.startsWith('-')) return { kind: 'candidates', candidates: optionsOf(command) };
  if (mayBeCommand && command.commands.length > 0)
    return { kind: 'candidates', candidates: subcommandsOf(command) };
  if (argument === null) return nothing;
  const name = command.name() === 'cancel' && argument.name() === 'run' ? 'running run' : argument.name();
  return valuesOf(argument.argChoices, `<${name}>`, typed, home);
}

async function valuesOf(
  choices: readonly string[] | undefined,
  flags: string,
  typed: string,
  home: string | undefined,
): Promise<Offer> {
  if (choices !== undefined) return plain(choices);
  // Commander keeps the name of a value only in the flags text: --for <script>.
  const name = /[<[]([^\]>]+?)(?:\.\.\.)?[\]>]/.exec(flags)?.[1] ?? '';
  if (comesFromService(name)) return { kind: 'candidates', candidates: await knownValues(name, typed, home) };
  if (folders.has(name)) return { kind: 'folders' };
  return files.has(name) ? { kind: 'files' } : nothing;
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      value: option.long ?? option.short ?? '',
      meaning: option.description,
    }));
}

function subcommandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), meaning: each.description() }));
}

function withPrefix(prefix: string, offer: Offer): Offer {
  if (offer.kind !== 'candidates') return offer;
  const candidates = offer.candidates.map(({ value, meaning }) => ({ value: prefix + value, meaning }));
  return { kind: 'candidates', candidates };
}

/** The value of --home on the command line. */
function homeIn(words: readonly string[]): string | undefined {
  const at = words.lastIndexOf('--home');
  return at === -1 ? undefined : words[at + 1];
}
