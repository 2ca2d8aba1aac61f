import { describe, expect, it } from 'vitest';

import { isJsonObject } from '../shared/json.ts';
import { KeyLocator } from './locate-keys.ts';
import { parseToml } from './manifest-toml.ts';
import { readMcp } from './read-mcp.ts';
import { reporter, SectionReader } from './read-section.ts';
import { type Problem, undeclared } from './script.ts';

function read(text: string) {
  const parsed = parseToml(Buffer.from(text));
  if (parsed.kind !== 'table') throw new Error('the test has invalid TOML');
  const problems: Problem[] = [];
  const root = parsed.table.service;
  if (!isJsonObject(root)) throw new Error('the test has no table');
  const report = reporter('x.toml', new KeyLocator(text), problems);
  return { mcp: readMcp(new SectionReader(root, 'service', report)), problems };
}

describe('the section for agents', () => {
  it('says nothing if the manifest has none', () => {
    expect(read('[service.info]')).toEqual({ mcp: undeclared.mcp, problems: [] });
    expect(read('[service.mcp]')).toEqual({ mcp: undeclared.mcp, problems: [] });
  });

  it('reads each field', () => {
    const { mcp, problems } = read(`
[service.mcp]
enabled = true
name = "Resize_images-2"
read_only = false
destructive = false
idempotent = true
open_world = false
`);
    expect(mcp).toEqual({
      enabled: true,
      name: 'Resize_images-2',
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: false,
    });
    expect(problems).toEqual([]);
  });

  it('takes a script that changes nothing as not destructive', () => {
    expect(read('[service.mcp]\nread_only = true').mcp).toMatchObject({ readOnly: true, destructive: false });
    expect(read('[service.mcp]\nread_only = false').mcp).toMatchObject({
      readOnly: false,
      destructive: true,
    });
  });

  it('notes a contradiction, and takes the script as destructive', () => {
    const { mcp, problems } = read('[service.mcp]\nread_only = true\ndestructive = true');
    expect(mcp).toMatchObject({ readOnly: false, destructive: true });
    expect(problems).toMatchObject([
      { severity: 'note', line: 3, message: { en: expect.stringContaining('contradict each other') } },
    ]);
  });

  it.each([
    ['an empty text', '""'],
    ['a text with a space', '"resize images"'],
    ['another alphabet', '"缩放"'],
    ['more than 48 characters', `"${'a'.repeat(49)}"`],
    ['a number', '7'],
  ])('notes a name that is %s, and ignores it', (_, name) => {
    const { mcp, problems } = read(`[service.mcp]\nname = ${name}`);
    expect(mcp).toEqual(undeclared.mcp);
    expect(problems).toMatchObject([{ severity: 'note', file: 'x.toml', line: 2 }]);
  });

  it('accepts a name of 48 characters', () => {
    expect(read(`[service.mcp]\nname = "${'a'.repeat(48)}"`)).toMatchObject({
      mcp: { name: 'a'.repeat(48) },
      problems: [],
    });
  });

  it('notes unknown fields and values that are not booleans, with their lines', () => {
    const { mcp, problems } = read(`
[service.mcp]
colour = "red"
read_only = "yes"
destructive = 0
idempotent = []
open_world = {}
`);
    expect(mcp).toEqual(undeclared.mcp);
    expect(problems.every(({ severity }) => severity === 'note')).toBe(true);
    expect(problems.map(({ line }) => line).toSorted()).toEqual([3, 4, 5, 6, 7]);
  });

  it('keeps a script from agents if it cannot read whether they may call it', () => {
    const { mcp, problems } = read('[service.mcp]\nenabled = "no"');
    expect(mcp.enabled).toBe(false);
    expect(problems).toMatchObject([{ severity: 'note', line: 2 }]);
    const other = read('[service]\nmcp = true');
    expect(other.mcp).toEqual({ ...undeclared.mcp, enabled: false });
    expect(other.problems).toMatchObject([{ severity: 'note', line: 2 }]);
  });
});
