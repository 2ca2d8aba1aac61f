import { describe, expect, it } from 'vitest';

import { BrokenActionsError, mergeActions, ownActions, type ThunarAction } from './thunar-actions.ts';

const one: ThunarAction = { id: 'hob-1-files', text: action('hob-1-files', 'One') };
const two: ThunarAction = { id: 'hob-2-files', text: action('hob-2-files', 'Two') };

function action(id: string, name: string): string {
  return `<action>\n\t<name>${name}</name>\n\t<unique-id>${id}</unique-id>\n\t<command>x</command>\n</action>`;
}

const merge = (text: string, ...actions: ThunarAction[]) => mergeActions(text, 'hob-', actions);

/** Files of users, as Thunar, people and the system write them. */
const files = {
  'the file of the system': `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE actions [
  <!ELEMENT actions (action)+>
  <!-- it's "quoted" -->
  <!ATTLIST name xml:lang CDATA #IMPLIED>
]>
<actions>

  <action>
    <name xml:lang="zh_CN">在此打开终端</name>
    <range/>
  </action>

</actions>`,
  'a file by Thunar': `<?xml version="1.0" encoding="UTF-8"?>\n<actions>\n<action>\n\t<icon>x</icon>\n\t<name>Mine &amp; &lt;yours&gt;</name>\n\t<submenu></submenu>\n\t<unique-id>1453457345-1</unique-id>\n\t<command>a | b &gt; c</command>\n</action>\n</actions>\n`,
  'one line': '<actions><action><name>x</name></action></actions>',
  'Windows line ends': '<actions>\r\n  <action><name>x</name></action>\r\n  </actions>\r\n',
  'comments and CDATA':
    '<!-- <actions> -->\n<actions><!-- </actions> --><action><name><![CDATA[</actions>]]></name></action>\n</actions><!-- end -->\n',
  'a byte order mark': '\ufeff<actions>\n</actions>\n',
  'a look-alike': `<actions>\n<action><name>unique-id hob-1-files</name><unique-id>my-hob-1</unique-id></action>\n</actions>\n`,
};

describe.each(Object.entries(files))('merging into %s', (_name, text) => {
  it('keeps all of it, and removing restores it byte for byte', () => {
    const merged = merge(text, one, two);
    expect(ownActions(merged, 'hob-')).toEqual([one, two]);
    const at = merged.indexOf(one.text);
    expect(merged.slice(0, at) + merged.slice(merged.indexOf(two.text) + two.text.length + 1)).toBe(text);
    expect(merge(merged)).toBe(text);
    expect(merge(merge(merged, two))).toBe(text);
  });

  it('twice changes nothing', () => {
    const merged = merge(text, one, two);
    expect(merge(merged, one, two)).toBe(merged);
  });

  it('updates an action in its place', () => {
    const changed = { ...one, text: action(one.id, 'Renamed') };
    expect(merge(merge(text, one, two), changed, two)).toBe(
      merge(text, one, two).replace(one.text, changed.text),
    );
  });
});

it('keeps the position and the format that Thunar gave to an action', () => {
  const text = `<actions>\n<action><unique-id>hob-1-files</unique-id><name>One</name><command>x</command><range>*</range></action>\n<action><name>mine</name></action>\n</actions>\n`;
  expect(merge(text, one)).toBe(text);
});

it('removes copies of an action', () => {
  const text = `<actions>\n${one.text}\n${one.text}\n</actions>\n`;
  expect(ownActions(merge(text, one), 'hob-')).toEqual([one]);
});

it('leaves the actions of another home', () => {
  const text = mergeActions('<actions>\n</actions>\n', 'hob-other-', [
    { id: 'hob-other-1', text: action('hob-other-1', 'Other') },
  ]);
  expect(mergeActions(text, 'hob-this-', [])).toBe(text);
});

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

describe.each([
  '<actions/>',
  '<actions />',
  '<actions\t\n/>',
  '<actions></actions>',
  '<actions>\n</actions>',
  '<actions>\r\n</actions>\r\n',
  `${declaration}\n<actions/>\n`,
  `${declaration}\r\n<actions />\r\n`,
  `\ufeff${declaration}<actions/>`,
  '<!-- <actions/> -->\n<actions/>\n<!-- end -->',
  '<actions xmlns:x="a/>b" />\n',
])('a file without actions: %j', (text) => {
  it('is restored byte for byte', () => {
    expect(ownActions(merge(text, one, two), 'hob-')).toEqual([one, two]);
    expect(merge(merge(text, one, two))).toBe(text);
    expect(merge(merge(merge(text, one), two))).toBe(text);
    expect(merge(text)).toBe(text);
  });
});

it('opens an empty root, also for the actions of two homes', () => {
  const both = mergeActions(merge('<actions/>\n', one), 'other-', [
    { id: 'other-1', text: action('other-1', 'Other') },
  ]);
  expect(both).toMatch(/^<actions>\n<action>[\s\S]*<\/action>\n<\/actions\s*>\n$/);
  expect(mergeActions(merge(both), 'other-', [])).toBe('<actions/>\n');
});

it('keeps an action that the user added to an empty root since', () => {
  const mine = '<action><name>mine</name></action>\n';
  const merged = merge('<actions/>', one).replace(one.text, mine + one.text);
  expect(merge(merged)).toMatch(/^<actions>\n<action><name>mine<\/name><\/action>\n<\/actions\s*>$/);
});

it.each([
  '',
  'not xml',
  '<actions>',
  '<actions><action></actions>',
  '<actions></actions><actions></actions>',
  '<actions>&broken</actions>',
  '<actions a=b></actions>',
  '<menu></menu>',
  '<actions></actions> text',
  '<<<<<<< ours\n<actions></actions>',
  `<actions>${'<action>'.repeat(10_000)}</actions>`,
])('refuses a broken file: %j', (text) => {
  expect(() => merge(text, one)).toThrow(BrokenActionsError);
});
