import { describe, expect, it } from 'vitest';

import type { Launch, MenuScript } from './menu-script.ts';
import { registryFile, registryKeys, registryRemoval, registryValues } from './windows-registry.ts';

const launch: Launch = {
  node: 'C:\\Program Files\\nodejs\\node.exe',
  command: 'C:\\Users\\Ada 100%\\hob\\bin\\hob.js',
  home: 'D:\\hob home\\',
};
const classes = 'HKEY_CURRENT_USER\\Software\\Classes';
const command = (path: string) =>
  `"C:\\Program Files\\nodejs\\node.exe" "C:\\Users\\Ada 100%%\\hob\\bin\\hob.js" "menu-run" "--home" "D:\\hob home\\\\" "id-1" "--" ${path}`;

function script(rest: Partial<MenuScript> = {}): MenuScript {
  return {
    id: 'id-1',
    slug: 'resize',
    name: 'Resize & "crop" 缩放',
    label: 'Resize & "crop" 缩放',
    description: null,
    icon: null,
    takesOne: false,
    menu: { targets: ['files', 'directory', 'background'], filters: ['.mp4', '.tar.gz'] },
    shortcut: null,
    ...rest,
  };
}

describe('the registry entries for Windows', () => {
  it('are below each extension, folders and the empty space of folders', () => {
    const keys = [
      `${classes}\\SystemFileAssociations\\.mp4\\shell\\Hob.resize`,
      `${classes}\\SystemFileAssociations\\.gz\\shell\\Hob.resize`,
      `${classes}\\Directory\\shell\\Hob.resize`,
      `${classes}\\Directory\\Background\\shell\\Hob.resize`,
    ];
    expect(registryKeys(script())).toEqual(keys);
    const values = registryValues(script(), launch);
    expect(values).toEqual(
      keys.flatMap((key) => [
        { key, name: 'MUIVerb', value: 'Resize && "crop" 缩放' },
        { key: `${key}\\command`, name: null, value: command(key.includes('Background') ? '"%V"' : '"%1"') },
      ]),
    );
  });

  it('are below all files without filters, and have the icon of the script', () => {
    const offered = script({
      menu: { targets: ['files'], filters: [] },
      icon: 'D:\\scripts\\resize\\icon.ico',
    });
    expect(registryKeys(offered)).toEqual([`${classes}\\*\\shell\\Hob.resize`]);
    expect(registryValues(offered, launch)).toContainEqual({
      key: `${classes}\\*\\shell\\Hob.resize`,
      name: 'Icon',
      value: 'D:\\scripts\\resize\\icon.ico',
    });
  });

  it('are none for a script without a menu entry', () => {
    expect(registryKeys(script({ menu: null }))).toEqual([]);
    expect(registryValues(script({ menu: null }), launch)).toEqual([]);
  });

  it('cannot refer to a resource of a program', () => {
    const [label] = registryValues(script({ label: '@shell32.dll,-1' }), launch);
    expect(label?.value).toBe(' @shell32.dll,-1');
  });

  it('are written as text for the registry editor', () => {
    const offered = script({ menu: { targets: ['directory'], filters: [] } });
    expect(registryFile(registryValues(offered, launch))).toBe(
      [
        'Windows Registry Editor Version 5.00',
        '',
        `[${classes}\\Directory\\shell\\Hob.resize]`,
        '"MUIVerb"="Resize && \\"crop\\" 缩放"',
        '',
        `[${classes}\\Directory\\shell\\Hob.resize\\command]`,
        String.raw`@="\"C:\\Program Files\\nodejs\\node.exe\" \"C:\\Users\\Ada 100%%\\hob\\bin\\hob.js\" \"menu-run\" \"--home\" \"D:\\hob home\\\\\" \"id-1\" \"--\" \"%1\""`,
        '',
      ].join('\r\n'),
    );
    expect(registryRemoval(registryKeys(offered))).toBe(
      `Windows Registry Editor Version 5.00\r\n\r\n[-${classes}\\Directory\\shell\\Hob.resize]\r\n`,
    );
  });
});
