import { type Launch, type MenuScript, menuRunWords } from './menu-script.ts';

/** A value in the registry of the user. The name null is the default value of the key. */
export interface RegistryValue {
  readonly key: string;
  readonly name: string | null;
  readonly value: string;
}

const classes = 'HKEY_CURRENT_USER\\Software\\Classes';

/** The keys of a script below which its values are. Removing them removes the entry. */
export function registryKeys({ slug, menu }: MenuScript): string[] {
  if (menu === null) return [];
  const verb = `shell\\Hob.${slug}`;
  const { targets, filters } = menu;
  return [
    ...(targets.includes('files')
      ? filters.length === 0
        ? [`${classes}\\*\\${verb}`]
        : filters.map((filter) => `${classes}\\SystemFileAssociations\\${lastExtension(filter)}\\${verb}`)
      : []),
    ...(targets.includes('directory') ? [`${classes}\\Directory\\${verb}`] : []),
    ...(targets.includes('background') ? [`${classes}\\Directory\\Background\\${verb}`] : []),
  ];
}

/** The entries of a script in the menus of the Explorer. */
export function registryValues(script: MenuScript, launch: Launch): RegistryValue[] {
  return [...new Set(registryKeys(script))].flatMap((key) => {
    // %V is the folder whose empty space was clicked.
    const path = key.includes('\\Directory\\Background\\') ? '"%V"' : '"%1"';
    const words = menuRunWords(launch, script.id).map(registryWord).join(' ');
    return [
      { key, name: 'MUIVerb', value: registryLabel(script.label) },
      ...(script.icon === null ? [] : [{ key, name: 'Icon', value: script.icon }]),
      { key: `${key}\\command`, name: null, value: `${words} ${path}` },
    ];
  });
}

/** The Explorer knows only what follows the last dot. Hob itself compares the whole filter. */
function lastExtension(filter: string): string {
  return filter.slice(filter.lastIndexOf('.')).replaceAll('\\', '');
}

/** An ampersand marks the letter that activates an entry, and an at sign begins a reference to a resource. */
function registryLabel(label: string): string {
  return label.replaceAll('&', '&&').replace(/^@/, ' @');
}

/** A word as Windows programs parse it: a backslash is special only before a quote. `%1` and `%V` are replaced by the Explorer. */
function registryWord(text: string): string {
  const quoted = text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1');
  return `"${quoted.replaceAll('%', '%%')}"`;
}

/** The text of a .reg file that sets these values. It must be written as UTF-16 with a byte order mark. */
export function registryFile(values: readonly RegistryValue[]): string {
  const keys = [...new Set(values.map(({ key }) => key))];
  const sections = keys.map((key) => {
    const lines = values
      .filter((each) => each.key === key)
      .map(({ name, value }) => `${name === null ? '@' : quoted(name)}=${quoted(value)}`);
    return `[${key}]\r\n${lines.join('\r\n')}\r\n`;
  });
  return ['Windows Registry Editor Version 5.00\r\n', ...sections].join('\r\n');
}

/** The text of a .reg file that removes these keys with all below them. */
export function registryRemoval(keys: readonly string[]): string {
  return ['Windows Registry Editor Version 5.00\r\n', ...keys.map((key) => `[-${key}]\r\n`)].join('\r\n');
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
