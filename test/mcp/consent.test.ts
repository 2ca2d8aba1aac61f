import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { callStateless } from '../support/mcp.ts';
import { install, operate } from '../support/packages.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const id = '65000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

/** A service with an installed package whose script leaves a file when it runs. The user offers the script to agents. */
async function startWithPackage() {
  const parent = await tempFolder();
  const ran = join(parent, 'ran');
  const source = join(parent, 'clean');
  await writeScript(parent, 'clean', { id, entry: bash(`touch "${ran}"\n`) });
  const hob = await startHob();
  expect(await install(hob, source)).toMatchObject({ state: 'done' });
  const choose = (choice: object) => hob.send('PUT', `/api/agents/scripts/${id}`, JSON.stringify(choice));
  await choose({ offered: true });
  return {
    hob,
    source,
    ran,
    choose,
    offered: async () => (await hob.get('/api/agents')).body.scripts as object[],
    question: () =>
      until('the user is asked', async () => {
        const { items } = (await hob.get('/api/agents/questions')).body as { items: { id: string }[] };
        return items[0]?.id;
      }),
  };
}

it('an update of the package ends the question about its script, and nothing runs', async () => {
  const { hob, source, ran, question } = await startWithPackage();
  const call = callStateless(hob, 'clean', {});
  const asked = await question();
  const manifest = join(source, 'script.toml');
  await writeFile(
    manifest,
    (await readFile(manifest, 'utf8')).replace('name = ', 'version = "2.0.0"\nname = '),
  );
  expect(await operate(hob, `/api/packages/${id}/update`)).toMatchObject({ state: 'done' });
  expect(await call).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('The script changed') }],
  });
  expect(await hob.post(`/api/agents/questions/${asked}`, { answer: 'allow' })).toMatchObject({
    status: 404,
    body: { code: 'question-unknown' },
  });
  await expect(access(ran)).rejects.toThrow('ENOENT');

  // The user still offers the script, and allows a call of the new version.
  const again = callStateless(hob, 'clean', {});
  await hob.post(`/api/agents/questions/${await question()}`, { answer: 'allow' });
  expect(await again).not.toHaveProperty('isError');
  await access(ran);
});

it('the choices for a script last until its package is uninstalled', async () => {
  const { hob, source, choose, offered } = await startWithPackage();
  await choose({ asks: false });
  expect(await operate(hob, `/api/packages/${id}/update`)).toMatchObject({ state: 'done' });
  expect(await offered()).toMatchObject([{ script_id: id, offered: true, asks: false }]);
  await hob.send('DELETE', `/api/packages/${id}`, '');
  expect(await offered()).toEqual([]);
  expect(await install(hob, source)).toMatchObject({ state: 'done' });
  expect(await offered()).toMatchObject([
    { script_id: id, offered: false, asks: true, choice: { offered: null, asks: null } },
  ]);
});
