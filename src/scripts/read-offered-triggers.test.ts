import { describe, expect, it } from 'vitest';

import { isJsonObject } from '../shared/json.ts';
import { KeyLocator } from './locate-keys.ts';
import { parseToml } from './manifest-toml.ts';
import { readOfferedTriggers } from './read-offered-triggers.ts';
import { reporter, SectionReader } from './read-section.ts';
import type { Problem } from './script.ts';

function read(text: string, exts: string[] = []) {
  const parsed = parseToml(Buffer.from(text));
  if (parsed.kind !== 'table') throw new Error('the test has invalid TOML');
  const problems: Problem[] = [];
  const root = parsed.table.service;
  if (!isJsonObject(root)) throw new Error('the test has no table');
  const report = reporter('x.toml', new KeyLocator(text), problems);
  const section = new SectionReader(root, 'service', report);
  return { offered: readOfferedTriggers(section, exts), problems };
}

describe('the triggers that a manifest offers', () => {
  it('reads menu entries and shortcuts as existing packages write them', () => {
    const { offered, problems } = read(`
[service.triggers.context_menu]
enabled = true
targets = ["files", "directory", "background"]
filters = ["MP4", "*.mov"]
[service.triggers.shortcut]
enabled = true
input_type = "folders"
[service.triggers.quick_copy]
enabled = true
`);
    expect(offered.contextMenu).toEqual({
      targets: ['files', 'directory', 'background'],
      filters: ['.mp4', '.mov'],
    });
    expect(offered.shortcut).toEqual({ asksFor: 'folders', filters: [] });
    expect(problems).toEqual([]);
  });

  it('takes the extensions of the main input if there are no filters', () => {
    const { offered } = read('[service.triggers.context_menu]\nenabled = true', ['.png', '.JPG']);
    expect(offered.contextMenu).toEqual({ targets: ['files'], filters: ['.png', '.jpg'] });
  });

  it('offers nothing that is not enabled', () => {
    const { offered } = read('[service.triggers.context_menu]\nenabled = false\n[service.triggers.shortcut]');
    expect(offered).toEqual({ contextMenu: null, shortcut: null, suggestions: [] });
  });

  it('keeps the fields of suggestions as written', () => {
    const { offered } = read(`
[[service.triggers.schedule]]
name = "nightly"
cron = "30 2 * * *"
[[service.triggers.webhook]]
name = "push"
into = "event"
`);
    expect(offered.suggestions).toEqual([
      { kind: 'schedule', name: 'nightly', values: { cron: '30 2 * * *' } },
      { kind: 'webhook', name: 'push', values: { into: 'event' } },
    ]);
  });

  it('notes values that it cannot use, with their lines, and keeps the script', () => {
    const { offered, problems } = read(`
[service.triggers]
colour = "red"
schedule = [{ cron = "* * * * *" }]
[service.triggers.context_menu]
enabled = true
targets = ["files", "moon"]
[service.triggers.shortcut]
enabled = true
input_type = "stars"
`);
    expect(offered.contextMenu?.targets).toEqual(['files']);
    expect(offered.shortcut?.asksFor).toBeNull();
    expect(problems.map(({ severity, line }) => [severity, line])).toEqual([
      ['note', 3],
      ['note', 7],
      ['note', 10],
      ['note', 4],
    ]);
  });
});
