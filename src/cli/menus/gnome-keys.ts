import { type Accelerator, acceleratorText, isSameAccelerator } from './accelerator.ts';
import type { KeyBindings, KeyCommand, Tool } from './key-command.ts';

const mediaKeys = 'org.gnome.settings-daemon.plugins.media-keys';
const customKeys = `${mediaKeys}.custom-keybinding`;
const folder = '/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/';

/** Schemas with the keys of GNOME itself. */
const schemas = [
  mediaKeys,
  'org.gnome.desktop.wm.keybindings',
  'org.gnome.shell.keybindings',
  'org.gnome.mutter.keybindings',
  'org.gnome.mutter.wayland.keybindings',
];

/** The custom key bindings of GNOME: a list of paths, with the keys and the command of each. */
export function gnomeKeys(tool: Tool): KeyBindings {
  const list = async () => stringsIn(await tool('gsettings', 'get', mediaKeys, 'custom-keybindings'));
  const setList = (paths: readonly string[]) =>
    tool('gsettings', 'set', mediaKeys, 'custom-keybindings', `[${paths.map(variantText).join(', ')}]`);
  const read = async (path: string, key: string) =>
    stringsIn(await tool('gsettings', 'get', `${customKeys}:${path}`, key))[0] ?? '';

  return {
    async findUser(keys, own) {
      for (const path of await list()) {
        if (path === pathOf(own) || !isSameAccelerator(keys, await read(path, 'binding'))) continue;
        return (await read(path, 'command')) || (await read(path, 'name')) || path;
      }
      const known = (await tool('gsettings', 'list-schemas')).split('\n');
      for (const schema of schemas.filter((each) => known.includes(each))) {
        const user = userIn(await tool('gsettings', 'list-recursively', schema), keys);
        if (user !== null) return user;
      }
      return null;
    },
    async bind(keys, own) {
      const path = pathOf(own);
      const values = { name: own.label, command: own.command, binding: acceleratorText(keys) };
      for (const [key, value] of Object.entries(values))
        await tool('gsettings', 'set', `${customKeys}:${path}`, key, variantText(value));
      const paths = await list();
      if (!paths.includes(path)) await setList([...paths, path]);
    },
    async unbind(_keys, own) {
      const path = pathOf(own);
      const paths = await list();
      if (paths.includes(path)) await setList(paths.filter((each) => each !== path));
      await tool('gsettings', 'reset-recursively', `${customKeys}:${path}`);
    },
  };
}

function pathOf({ id }: KeyCommand): string {
  return `${folder}${id}/`;
}

/** Finds the keys in lines such as `org.gnome.desktop.wm.keybindings close ['<Alt>F4']`. */
function userIn(lines: string, keys: Accelerator): string | null {
  for (const line of lines.split('\n')) {
    const [, schema, key, value = ''] = /^(\S+) (\S+) (.*)$/.exec(line) ?? [];
    if (key === 'custom-keybindings') continue;
    if (stringsIn(value).some((text) => isSameAccelerator(keys, text))) return `${schema} ${key}`;
  }
  return null;
}

/** The strings in a value in GVariant's text format. */
export function stringsIn(value: string): string[] {
  return [...value.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs)].map(([, single, double]) =>
    (single ?? double ?? '').replace(/\\(u[\da-f]{4}|.)/gis, (_whole, escaped: string) => {
      if (escaped.length === 5) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
      return escapes.get(escaped) ?? escaped;
    }),
  );
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

/** A string in GVariant's text format. */
export function variantText(text: string): string {
  return `'${text.replace(/[\\']/g, (character) => `\\${character}`).replaceAll('\n', '\\n')}'`;
}
