import { expect, it } from 'vitest';

import { appInProcess, openGuarded } from '../../test/support/app-in-process.ts';

async function setUp() {
  const scene = await appInProcess();
  const { url } = await openGuarded(scene.app);
  const { offers, confirmations, script } = scene;
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const read = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status, body: read };
  };
  const ask = async (args = {}) => {
    const [asked] = await offers.all();
    if (asked === undefined) throw new Error('there is no script');
    const consent = confirmations.ask({ asked, client: 'claude-code', args }, new AbortController().signal);
    return { consent };
  };
  return { ...scene, id: script, send, ask };
}

it('lists the scripts, the open questions and the address for programs', async () => {
  const { send, ask, id } = await setUp();
  await ask({ days: 3 });
  const { status, body } = await send('GET', '/api/agents');
  expect(status).toBe(200);
  expect(body).toEqual({
    scripts: [
      {
        script_id: id,
        slug: 'node',
        name: 'node',
        tool: 'node',
        packaged: false,
        offered: true,
        asks: false,
        choice: { offered: null, asks: null },
      },
    ],
    questions: [
      {
        id: expect.any(String),
        script_id: id,
        script_name: 'node',
        tool: 'node',
        client: 'claude-code',
        args: '{\n  "days": 3\n}',
        asked_at: expect.any(String),
        expires_at: expect.any(String),
      },
    ],
    mcp_url: 'http://127.0.0.1/mcp',
  });
  expect((await send('GET', '/api/agents/questions')).body).toEqual({ items: body.questions, next: null });
});

it('stores a choice by id or slug, keeps absent fields, and restores the rule with null', async () => {
  const { send, id } = await setUp();
  const choose = async (idOrSlug: string, choice: object) => {
    const { body } = await send('PUT', `/api/agents/scripts/${idOrSlug}`, choice);
    return { offered: body.offered, asks: body.asks, choice: body.choice };
  };
  expect(await choose(id, { offered: false })).toEqual({
    offered: false,
    asks: false,
    choice: { offered: false, asks: null },
  });
  expect(await choose('node', { asks: true })).toEqual({
    offered: false,
    asks: true,
    choice: { offered: false, asks: true },
  });
  expect(await choose(id.toUpperCase(), { offered: null })).toEqual({
    offered: true,
    asks: true,
    choice: { offered: null, asks: true },
  });
});

it('refuses choices that it cannot store', async () => {
  const { send, id, offers } = await setUp();
  expect(await send('PUT', '/api/agents/scripts/nobody', { offered: true })).toMatchObject({
    status: 404,
    body: { code: 'script-unknown' },
  });
  for (const body of [{ offered: 'yes' }, { asks: 1 }, { offer: true }])
    expect(await send('PUT', `/api/agents/scripts/${id}`, body)).toMatchObject({
      status: 400,
      body: { code: 'field-invalid', fields: Object.keys(body) },
    });
  expect(offers.choiceOf(id)).toEqual({ scriptId: id, isOffered: null, isAsked: null });
});

it('passes an answer to the call that waits, and says that a question is no longer open', async () => {
  const { send, ask, id, confirmations, offers } = await setUp();
  const call = await ask();
  const path = `/api/agents/questions/${confirmations.questions[0]?.id}`;
  expect(await send('POST', path, { answer: 'maybe' })).toMatchObject({
    status: 400,
    body: { code: 'field-invalid', fields: ['answer'] },
  });
  expect(await send('POST', path, { answer: 'always' })).toEqual({
    status: 200,
    body: { status: 'success', message: 'The run was allowed' },
  });
  expect(await call.consent).toBe('allowed');
  expect(offers.choiceOf(id).isAsked).toBe(false);
  const late = await send('POST', path, { answer: 'allow' });
  expect(late).toMatchObject({ status: 404, body: { code: 'question-unknown' } });
  expect(late.body.hint).toContain('GET /api/agents');
});
