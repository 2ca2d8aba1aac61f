import { findProgram, type Machine } from './find-program.ts';

/** The apps that can be asked for, by their names in small letters. */
const apps: Readonly<Record<string, (line: string) => string>> = {
  terminal: (line) => `tell application "Terminal"
activate
do script ${line}
end tell`,
  iterm: (line) => `tell application "iTerm"
activate
create window with default profile command ${line}
end tell`,
};

/** The app that a word of the setting names. */
export function macApp(word: string): string | null {
  const name = word
    .toLowerCase()
    .replace(/\.app$/, '')
    .replace('iterm2', 'iterm');
  return Object.hasOwn(apps, name) ? name : null;
}

/** Windows of an app are opened by a script for it, which is always the same: the command comes to it as arguments. */
export async function findMacTerminal(app: string, machine: Machine): Promise<string[][]> {
  const program = await findProgram('osascript', machine);
  const script = windowScript(app);
  return program === null || script === null ? [] : [[program, '-e', script]];
}

/** Both apps want one line for a shell. AppleScript quotes each word for it, so that none of them is read as anything else. */
function windowScript(app: string): string | null {
  const tell = apps[app]?.(app === 'terminal' ? '"exec" & commandLine' : 'text 2 thru -1 of commandLine');
  return tell === undefined
    ? null
    : `on run argv
set commandLine to ""
repeat with argument in argv
set commandLine to commandLine & " " & quoted form of (contents of argument)
end repeat
${tell}
end run`;
}
