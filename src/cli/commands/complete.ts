import type { Argument, Command, Option } from 'commander';
import type {
  EnvironmentList,
  ModelList,
  RunPage,
  ScriptList,
  SecretList,
  TriggerList,
} from '../../contract/types.ts';
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

interface Candidate {
  readonly value: string;
  /** Description, for shells that show one. */
  readonly meaning?: string;
}

/** The completions that a shell offers: these candidates, or files or folders, which the shell lists itself. */
type Offer = readonly Candidate[] | ':files' | ':folders';

/** One candidate per line, with its description after a tab. */
export function offerLines(offer: Offer, typed: string): string {
  if (typeof offer === 'string') return `${offer}\n`;
  return offer
    .filter(({ value }) => value !== '' && value.startsWith(typed) && printable(value) === value)
    .map(({ value, meaning = '' }) => `${value}\t${printable(meaning).replaceAll('\n', ' ')}\n`)
    .join('');
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
    if (place.kind !== 'value') return [];
    const offer = await valuesOf(place.option, place.option.flags, value, home);
    if (typeof offer === 'string') return offer;
    return offer.map((candidate) => ({ ...candidate, value: `${flag}=${candidate.value}` }));
  }
  if (place.kind === 'value' && place.option.long === '--param' && takesScript(place.command)) {
    const [script] = place.words;
    return script === undefined ? [] : knownParams(script, typed, home);
  }
  if (place.kind === 'value') return valuesOf(place.option, place.option.flags, typed, home);
  const { command, argument, mayBeOption, mayBeCommand } = place;
  const help = command.createHelp();
  if (mayBeOption && typed.startsWith('-'))
    return help
      .visibleOptions(command)
      .map(({ long, short, description }) => ({ value: long ?? short ?? '', meaning: description }));
  if (mayBeCommand && command.commands.length > 0)
    return help.visibleCommands(command).map((each) => ({ value: each.name(), meaning: each.description() }));
  if (argument === null) return [];
  const name = command.name() === 'cancel' && argument.name() === 'run' ? 'running run' : argument.name();
  return valuesOf(argument, `<${name}>`, typed, home);
}

/** Whether its first argument is a script. */
function takesScript({ registeredArguments }: Command): boolean {
  return registeredArguments[0]?.name() === 'script';
}

async function valuesOf(
  { argChoices }: Argument | Option,
  flags: string,
  typed: string,
  home: string | undefined,
): Promise<Offer> {
  if (argChoices !== undefined) return argChoices.map((value) => ({ value }));
  // Commander keeps the name of a value only in the flags text: --for <script>.
  const name = /[<[]([^\]>]+?)(?:\.\.\.)?[\]>]/.exec(flags)?.[1] ?? '';
  const source = sources[name];
  if (source !== undefined) return inTime(home, (client) => source(client, typed));
  if (folders.has(name)) return ':folders';
  return files.has(name) ? ':files' : [];
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
    else if (!onlyArguments && word.startsWith('-'))
      wants =
        command.options.find(
          ({ long, short, required, optional }) =>
            (long === word || short === word) && (required || optional),
        ) ?? null;
    else {
      const next: Command | undefined =
        taken.length > 0
          ? undefined
          : command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      if (next === undefined) taken.push(word);
      else command = next;
    }
  }
  if (wants !== null) return { kind: 'value', command, option: wants, words: taken };
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return {
    kind: 'word',
    command,
    // A variadic last argument takes all further words.
    argument: registeredArguments[taken.length] ?? (last?.variadic === true ? last : null),
    mayBeOption: !onlyArguments,
    mayBeCommand: taken.length === 0,
  };
}

/** The user is waiting: slower responses are ignored. */
const timeoutMs = 1500;

/** The values of an argument, by its name. */
const sources: Readonly<Record<string, (client: ServiceClient, typed: string) => Promise<Candidate[]>>> = {
  script: scripts,
  run: async (client) => [{ value: 'last' }, ...(await runs(client, ''))],
  // An ended run cannot be cancelled.
  'running run': (client) => runs(client, '&state=running,queued'),
  repo: async (client) =>
    (await client.get<ModelList>('/api/models')).items.map(({ repo_id }) => ({ value: repo_id })),
  trigger: async (client) =>
    (await client.get<TriggerList>('/api/triggers')).items.map(({ id, words }) => ({
      value: id,
      meaning: words,
    })),
  secret: async (client) =>
    (await client.get<SecretList>('/api/secrets')).items.map(({ name }) => ({ value: name })),
  key: async (client) =>
    (await client.get<EnvironmentList>('/api/environments')).items.map(({ key }) => ({ value: key })),
};

/** Offers slugs, or names or ids if the beginning of one was typed. */
async function scripts(client: ServiceClient, typed: string): Promise<Candidate[]> {
  const { scripts: all } = await client.get<ScriptList>('/api/scripts');
  if (all.some(({ slug }) => slug.startsWith(typed)))
    return all.map(({ slug, name }) => ({ value: slug, meaning: name }));
  const isId = all.some(({ id }) => id.startsWith(typed));
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
    return values.map((value) => ({ value: `${begun.name}=${value}` }));
  });
}

/** The candidates from the service; none if it does not run or respond in time. Completion prints no errors. */
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
