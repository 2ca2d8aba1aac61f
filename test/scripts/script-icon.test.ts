import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { writeScript } from '../support/scripts.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

/** Scripts with one icon each. Null: the file does not exist. */
async function serve(icons: Readonly<Record<string, string | Buffer | null>>) {
  const scripts = await tempFolder();
  const ids = new Map<string, string>();
  for (const [icon, content] of Object.entries(icons)) {
    const folder = join(scripts, `of-${ids.size}`);
    await mkdir(folder);
    if (content !== null) await writeFile(join(folder, icon), content);
    ids.set(icon, await writeScript(scripts, `of-${ids.size}`, { icon }));
  }
  const hob = await startHob({ scripts: [scripts] });
  return {
    scripts,
    ask: (icon: string) => fetch(`${hob.url}/api/scripts/${ids.get(icon)}/icon`),
    url: hob.url,
  };
}

describe('GET /api/scripts/<id>/icon', () => {
  it('sends the picture with its type, and nothing in it can execute', async () => {
    const { ask } = await serve({ 'icon.png': Buffer.from([1, 2, 3]), 'icon.SVG': svg });
    const png = await ask('icon.png');
    expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await png.arrayBuffer())).toEqual(Buffer.from([1, 2, 3]));
    const drawing = await ask('icon.SVG');
    expect(drawing.headers.get('content-type')).toBe('image/svg+xml');
    expect(drawing.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    );
    expect(drawing.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('sends nothing that is not a picture, too large, missing or elsewhere', async () => {
    const { ask, scripts, url } = await serve({
      'main.html': '<p>',
      'large.png': Buffer.alloc(1024 * 1024 + 1),
      'none.png': null,
      'later.png': 'x',
    });
    // Replaced after the manifest was read. A manifest with such a link would have been refused.
    const secret = join(await tempFolder(), 'secret.png');
    await writeFile(secret, 'secret');
    await rm(join(scripts, 'of-3', 'later.png'));
    await symlink(secret, join(scripts, 'of-3', 'later.png'));
    for (const icon of ['main.html', 'large.png', 'none.png', 'later.png']) {
      const answer = await ask(icon);
      expect([icon, answer.status, answer.headers.get('x-hob-error')]).toEqual([icon, 404, 'icon-unknown']);
    }
    expect((await fetch(`${url}/api/scripts/none/icon`)).status).toBe(404);
  });
});
