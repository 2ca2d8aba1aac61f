import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import type { AgentPackages } from '../contract/values.ts';
import type { Script } from '../scripts/script.ts';
import { Feed } from '../shared/feed.ts';
import type { AgentChoice } from './choices.ts';
import { Offers } from './offers.ts';

const idOf = (digits: string) => `${digits.padEnd(8, '0')}-8f43-4b0e-9d0e-3f2d6a1f7c11`;
type Hints = Partial<Script['mcp']>;

/** A script with the id that begins with `digits`. Its slug is its name. */
function script(name: string, digits: string, hints: Hints = {}): Script {
  const base = someScript({ id: idOf(digits), name, folder: `/own/${digits}` });
  return { ...base, mcp: { ...base.mcp, ...hints } };
}

const packaged = (name: string, digits: string, hints?: Hints): Script => ({
  ...script(name, digits, hints),
  folder: `/packages/${digits}`,
});

function offersOf(scripts: readonly Script[], packages: AgentPackages = 'chosen') {
  const choices: AgentChoice[] = [];
  return new Offers({
    catalogue: {
      version: 1,
      scripts: () => scripts,
      isPackaged: (folder: string) => folder.startsWith('/packages/'),
      changed: new Feed<void>(),
    } as never,
    slugs: {
      update: async () => {},
      of: (id: string) => scripts.find((one) => one.id === id)?.name ?? '',
    } as never,
    store: { all: () => choices, put: (choice) => choices.push(choice) },
    packages,
  });
}

describe('the names of tools', () => {
  const names = async (scripts: readonly Script[]) =>
    (await offersOf(scripts).all()).map(({ toolName, script: { id } }) => [id.slice(0, 6), toolName]);

  it('of own scripts do not change if packages want the same', async () => {
    const own = [script('foo', 'aaaaaa'), script('foo-abcdef', 'bbbbbb')];
    expect(await names([packaged('foo', 'abcdef11'), packaged('foo-abcdef', 'cccccc'), ...own])).toEqual([
      ['abcdef', 'foo-abcdef1'],
      ['cccccc', 'foo-abcdef-cccccc'],
      ['aaaaaa', 'foo'],
      ['bbbbbb', 'foo-abcdef'],
    ]);
  });

  it('differ between own scripts that want the same', async () => {
    const own = [script('foo', 'abcdef'), script('foo', 'bbbbbb'), script('foo-bbbbbb', 'cccccc')];
    expect(await names(own)).toEqual([
      ['abcdef', 'foo'],
      ['bbbbbb', 'foo-bbbbbb0'],
      ['cccccc', 'foo-bbbbbb'],
    ]);
  });
});

describe('the scripts that agents may use', () => {
  const all = [
    script('own', '1'),
    script('hidden', '2', { enabled: false }),
    packaged('silent', '3'),
    packaged('declared', '4', { enabled: true }),
    packaged('closed', '5', { enabled: false }),
  ];

  it.each([
    ['chosen', ['own']],
    ['declared', ['own', 'declared']],
    ['all', ['own', 'silent', 'declared']],
  ] as const)('with mcp_packages = %s', async (packages, expected) => {
    const offered = await offersOf(all, packages).offered();
    expect(offered.map(({ toolName }) => toolName)).toEqual(expected);
  });

  it('are those that the user chose before all rules', async () => {
    const offers = offersOf(all, 'all');
    for (const [digits, isOffered] of [
      ['1', false],
      ['2', true],
      ['5', true],
    ] as const)
      offers.choose({ scriptId: idOf(digits), isOffered, isAsked: null });
    const offered = await offers.offered();
    expect(offered.map(({ toolName }) => toolName)).toEqual(['hidden', 'silent', 'declared', 'closed']);
    expect(await offers.find('own')).toBeNull();
    expect(await offers.find('__proto__')).toBeNull();
  });

  it('ask before a package that may destroy, unless the user chose otherwise', async () => {
    const mayDestroy = { destructive: true };
    const offers = offersOf(
      [
        script('own', '1', mayDestroy),
        packaged('wild', '2', mayDestroy),
        packaged('tame', '3', { destructive: false }),
      ],
      'all',
    );
    const asked = async () =>
      (await offers.offered()).filter(({ isAsked }) => isAsked).map(({ toolName }) => toolName);
    expect(await asked()).toEqual(['wild']);
    offers.choose({ scriptId: idOf('2'), isOffered: null, isAsked: false });
    offers.choose({ scriptId: idOf('1'), isOffered: null, isAsked: true });
    expect(await asked()).toEqual(['own']);
  });
});
