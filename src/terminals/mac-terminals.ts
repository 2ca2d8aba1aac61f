import { findProgram, type Machine } from './find-program.ts';

/** The supported apps, by lower-case name. */
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

/** The app that the setting names; null if it is not supported. */
export function macApp(word: string): string | null {
  const name = word
    .toLowerCase()
    .replace(/\.app$/, '')
    .replace('iterm2', 'iterm');
  return Object.hasOwn(apps, name) ? name : null;
}

/** An AppleScript opens the window. The script is constant and gets the command as arguments. */
export async function findMacTerminal(app: string, machine: Machine): Promise<string[][]> {
  const program = await findProgram('osascript', machine);
  const script = windowScript(app);
  return program === null || script === null ? [] : [[program, '-e', script]];
}

/** Both apps take a shell command line, so AppleScript quotes each argument for the shell. */
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
