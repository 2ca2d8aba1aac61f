import { expect, it } from 'vitest';

import { portableSettings } from './portable-settings.ts';

it('leaves out folders and addresses of the machine and the address for notifications, and keeps the rest with its comments', () => {
  const text =
    '\uFEFF# mine\nport = 9600 # 端口\nscripts = [\n  "/a",\n  "/b b",\n]\n\nlisten = ["192.168.1.2"]\nmax_runs = 3\nnotify_url = "https://ntfy.sh/x"\n';
  const portable = portableSettings(text);
  expect(portable.leftOut.map(({ name }) => name)).toEqual(['scripts', 'listen', 'notify_url']);
  expect(portable.text).toMatch(/^# mine\nport = 9600 # 端口\n\n?max_runs = 3\n$/);
});

it('does not change a file without such settings', () => {
  const text = '# nothing\n\nport = 1\n';
  expect(portableSettings(text)).toEqual({ text, leftOut: [] });
});
