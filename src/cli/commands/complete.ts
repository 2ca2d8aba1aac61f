import type { Argument, Command, Option } from 'commander';
import type { EnvironmentList, ModelList, RunPage, ScriptList } from '../../contract/types.ts';
import { findScript } from '../find-script.ts';
import { ServiceClient } from '../service-client.ts';
import { printable } from '../terminal/text.ts';

export function configure(command: Command): void {
  command
    .argument('[words...]')
    .helpOption(false)
    .action(async (words: string[]) => {
      const program = command.parent ?? command;
      process.stdout.write(offerLines(await offerFor(program, words), words.at(-1) ?? ''));
    });
}

/** One candidate per line, with its description after a tab. `:files` or `:folders` asks the shell to list paths itself. */
export function offerLines(offer: Offer, typed: string): string {
  if (offer.kind !== 'candidates') return `:${offer.kind}\n`;
  return offer.candidates
    .filter(({ value }) => value !== '' && value.startsWith(typed) && printable(value) === value)
    .map(({ value, meaning }) => `${value}\t${oneLine(meaning)}\n`)
    .join('');
}

function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}

/** A completion candidate. */
export interface Candidate {
  readonly value: string;
  /** Description, for shells that show one; may be empty. */
  readonly meaning: string;
}

/** The completions that a shell offers: these candidates, or files or folders, which the shell lists itself. */
export type Offer =
  | { readonly kind: 'candidates'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' };

export const nothing: Offer = { kind: 'candidates', candidates: [] };

/** Candidates without descriptions. */
export function plain(values: readonly string[]): Offer {
  return { kind: 'candidates', candidates: values.map((value) => ({ value, meaning: '' })) };
}

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

/** The role of the word at the cursor. */
type Place =
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

/** The user is waiting: slower responses are ignored. */
const timeoutMs = 1500;

/** The values of an argument, by its name. */
const sources: Readonly<Record<string, (client: ServiceClient, typed: string) => Promise<Candidate[]>>> = {
  script: scripts,
  run: async (client) => [{ value: 'last', meaning: '' }, ...(await runs(client, ''))],
  // An ended run cannot be cancelled.
  'running run': (client) => runs(client, '&state=running,queued'),
  repo: async (client) =>
    (await client.get<ModelList>('/api/models')).items.map(({ repo_id }) => ({
      value: repo_id,
      meaning: '',
    })),
  key: async (client) =>
    (await client.get<EnvironmentList>('/api/environments')).items.map(({ key }) => ({
      value: key,
      meaning: '',
    })),
};
const otherNames: Readonly<Record<string, string>> = {
  scripts: 'script',
  runs: 'run',
  run_id: 'run',
  'run-id': 'run',
};

/** Whether the values of this argument come from the service. */
function comesFromService(name: string): boolean {
  return (otherNames[name] ?? name) in sources;
}

/** The values of an argument. Completion never prints errors. */
export async function knownValues(
  name: string,
  typed: string,
  home: string | undefined,
): Promise<Candidate[]> {
  const source = sources[otherNames[name] ?? name];
  return source === undefined ? [] : inTime(home, (client) => source(client, typed));
}

/** Offers names, or ids if an id prefix was typed. */
async function scripts(client: ServiceClient, typed: string): Promise<Candidate[]> {
  const { scripts: all } = await client.get<ScriptList>('/api/scripts');
  const isId = typed !== '' && all.some(({ id }) => id.startsWith(typed));
  return all.map(({ id, name }) => (isId ? { value: id, meaning: name } : { value: name, meaning: id }));
}

async function runs(client: ServiceClient, query: string): Promise<Candidate[]> {
  const { items } = await client.get<RunPage>(`/api/runs?limit=30${query}`);
  return items.map((run) => ({ value: run.run_id, meaning: `${run.script_name}, ${run.state}` }));
}

/** The params of a script as `name=`, or the possible values of the param that is being typed. */
function knownParams(script: string, typed: string, home: string | undefined): Promise<Candidate[]> {
  return inTime(home, async (client) => {
    const { params } = await findScript(client, script);
    const [, name] = /^([^=]+)=/.exec(typed) ?? [];
    const begun = params.find((param) => param.name === name);
    if (begun === undefined)
      return params.map((param) => ({ value: `${param.name}=`, meaning: param.description ?? param.label }));
    const values = begun.type === 'bool' ? ['true', 'false'] : begun.choices;
    return values.map((value) => ({ value: `${begun.name}=${value}`, meaning: '' }));
  });
}

/** The candidates from the service; none if it does not run or respond in time. */
function inTime(
  home: string | undefined,
  list: (client: ServiceClient) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  const listed = ServiceClient.find(home).then(list);
  const afterTimeout = new Promise<Candidate[]>((resolve) => {
    setTimeout(() => resolve([]), timeoutMs).unref();
  });
  return Promise.race([listed.catch(() => []), afterTimeout]);
}
