import { acceleratorText, isSameAccelerator } from './accelerator.ts';
import type { KeyBindings, Tool } from './key-command.ts';

const channel = ['-c', 'xfce4-keyboard-shortcuts'] as const;

/** The keyboard shortcuts of Xfce: a property for each combination, whose value is the command. */
export function xfceKeys(tool: Tool): KeyBindings {
  const query = (...args: string[]) => tool('xfconf-query', ...channel, ...args);
  const propertyOf = (text: string) => `/commands/custom/${text}`;
  const readValue = async (property: string) =>
    parseProperties(await query('-l', '-v')).find(([each]) => each === property)?.[1] ?? null;

  return {
    async findUser(keys, own) {
      const properties = parseProperties(await query('-l', '-v'));
      const overridden = ['/commands', '/xfwm4'].filter((base) =>
        properties.some(([property, value]) => property === `${base}/custom/override` && value === 'true'),
      );
      for (const [property, value] of properties) {
        const [, base = '', set, text = ''] =
          /^(\/commands|\/xfwm4)\/(custom|default)\/([^/]+)$/.exec(property) ?? [];
        // The shortcuts of the user replace the default ones as a whole.
        if (set === 'default' && overridden.includes(base)) continue;
        if (value !== own.command && isSameAccelerator(keys, text)) return value;
      }
      return null;
    },
    async bind(keys, own) {
      const property = propertyOf(acceleratorText(keys));
      await query('-p', property, '-n', '-t', 'string', '-s', own.command);
    },
    async unbind(keys, own) {
      const property = propertyOf(acceleratorText(keys));
      // The user may have given the keys to another command since.
      if ((await readValue(property)) === own.command) await query('-p', property, '-r');
    },
  };
}

/** The lines of a list, such as `/commands/custom/<Alt>F2    xfce4-appfinder --collapsed`. */
export function parseProperties(lines: string): [property: string, value: string][] {
  return lines.split('\n').flatMap((line) => {
    const [, property, value = ''] = /^(\/\S+)\s+(.*)$/.exec(line) ?? [];
    return property === undefined ? [] : [[property, value]];
  });
}
