import { describe, expect, it } from 'vitest';

import { type Launch, menuScriptOf } from './menu-script.ts';
import { mergeActions, thunarActions } from './thunar-actions.ts';
import { registryFile, registryKeys, registryRemoval, registryValues } from './windows-registry.ts';
import { findXmlChildren } from './xml-children.ts';

const launch: Launch = { node: '/node', command: '/hob.js', home: '/home' };

function scriptWith({ filters = [], icon = null }: { filters?: string[]; icon?: string | null }) {
  return menuScriptOf({
    id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
    slug: 'resize',
    name: 'Resize',
    desc: null,
    icon,
    folder: '/scripts/resize',
    input: null,
    context_menu: { targets: ['files', 'directory'], filters },
    shortcut: null,
  });
}

/** A control character that XML cannot contain, and line breaks that would begin an entry of their own in a .reg file. */
const unusable = ['\u0001', '\r\n@="x"\r\n[-HKEY_CURRENT_USER\\Software]\r\n', '\n', '\u2028', '\uffff'];

describe.each(unusable)('a manifest with %j in its values', (part) => {
  const script = scriptWith({ filters: [`.a${part}b`, '.mp4'], icon: `icon${part}.png` });
  const clean = scriptWith({ filters: ['.mp4'] });

  it('adds well-formed actions to the file of Thunar', () => {
    const text = mergeActions('<actions></actions>', 'hob-', thunarActions(script, launch, 'hob-'));
    expect(findXmlChildren(text)?.children).toHaveLength(2);
    expect(text).not.toMatch(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u);
    expect(text).toBe(mergeActions('<actions></actions>', 'hob-', thunarActions(clean, launch, 'hob-')));
  });

  it('adds no lines to the data for the registry', () => {
    expect(registryFile(registryValues(script, launch))).toBe(registryFile(registryValues(clean, launch)));
    expect(registryRemoval(registryKeys(script))).toBe(registryRemoval(registryKeys(clean)));
  });
});

it('does not offer a script for all files if none of its filters can be used', () => {
  expect(scriptWith({ filters: ['.a\nb'] }).menu).toEqual({ targets: ['directory'], filters: [] });
  expect(scriptWith({ filters: [] }).menu).toEqual({ targets: ['files', 'directory'], filters: [] });
});
