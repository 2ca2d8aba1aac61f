import { expect, it } from 'vitest';

import { acceleratorArgument, acceleratorText, isSameAccelerator, readAccelerator } from './accelerator.ts';
import { stringsIn, variantText } from './gnome-keys.ts';
import { parseProperties } from './xfce-keys.ts';

it.each([
  ['<Super>r', '<Super>r'],
  ['Super+R', '<Super>r'],
  ['ctrl + alt + F5', '<Primary><Alt>F5'],
  ['<Alt><Shift><Ctrl>Return', '<Primary><Shift><Alt>Return'],
  ['<Mod4>e', '<Super>e'],
  ['Print', 'Print'],
])('reads the keys %s as %s', (text, written) => {
  const keys = acceleratorArgument(text);
  expect(acceleratorText(keys)).toBe(written);
  expect(isSameAccelerator(keys, text)).toBe(true);
});

it.each(['', 'Super', '<Super>', '<Nonsense>r', 'a b', '<Super>r; rm', '<Super', 'Ctrl++'])(
  'refuses %j, which is no combination of keys',
  (text) => {
    expect(readAccelerator(text)).toBeNull();
    expect(() => acceleratorArgument(text)).toThrow(/is not a combination of keys/);
  },
);

it.each(['r', 'Shift+R', 'Return'])('refuses %s, which could no longer be typed', (text) => {
  expect(() => acceleratorArgument(text)).toThrow(/needs Ctrl, Alt or Super/);
});

it.each(["it's", '"both\' \\', '中文 %\n\ttab', ''])(
  'writes the text %j as GVariant and reads it back',
  (text) => {
    expect(stringsIn(`[${variantText(text)}, ${variantText('next')}]`)).toEqual([text, 'next']);
  },
);

it('reads lists of gsettings', () => {
  expect(stringsIn('@as []')).toEqual([]);
  expect(stringsIn(`['/a/', "it's"]`)).toEqual(['/a/', "it's"]);
});

it('reads the list of xfconf-query', () => {
  const lines =
    '/commands/custom/<Alt>F2             xfce4-appfinder --collapsed\n/commands/custom/override  true\n';
  expect(parseProperties(`Some heading\n${lines}`)).toEqual([
    ['/commands/custom/<Alt>F2', 'xfce4-appfinder --collapsed'],
    ['/commands/custom/override', 'true'],
  ]);
});
