import { createHmac } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { checkHeaders, secretProblem, verify } from './signatures.ts';

const nowMs = Date.parse('2026-05-01T12:00:00Z');
const nowS = nowMs / 1000;

const delivery = (headers: Record<string, string>, body: string | Buffer = '', receivedMs = nowMs) => ({
  headers: Object.entries(headers).flat(),
  body: Buffer.from(body),
  receivedMs,
});

const wrong = { kind: 'refused', reason: 'wrong-signature' };
const late = { kind: 'refused', reason: 'too-old' };

describe('github', () => {
  const secret = "It's a Secret to Everybody";
  const body = 'Hello, World!';
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

  it('accepts the example of the documentation', () => {
    const headers = { 'X-Hub-Signature-256': signature, 'X-GitHub-Delivery': '72d3162e-cc78' };
    expect(verify('github', secret, delivery(headers, body))).toEqual({
      kind: 'verified',
      replayKey: signature.replace('=', ':'),
      deliveryId: '72d3162e-cc78',
    });
  });

  it.each([
    ['another body', 'Hello, World?', signature, secret],
    ['another secret', body, signature, 'guess'],
    ['another digest', body, signature.replace('7', '8'), secret],
    ['a digest that is too short', body, signature.slice(0, -2), secret],
    ['no algorithm', body, signature.replace('sha256=', ''), secret],
    ['an older algorithm', body, 'sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59', secret],
    ['no digest', body, 'sha256=', secret],
  ])('refuses %s', (_what, sent, value, key) => {
    expect(verify('github', key, delivery({ 'X-Hub-Signature-256': value }, sent))).toEqual(wrong);
  });

  it('signs bytes, not text', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x41]);
    const digest = createHmac('sha256', secret).update(bytes).digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${digest}` };
    expect(verify('github', secret, delivery(headers, bytes))).toMatchObject({ kind: 'verified' });
  });

  it('ignores line breaks at the end of the stored secret, and keeps spaces and Chinese characters', () => {
    const key = ' 秘密 ';
    const digest = createHmac('sha256', key).update(body).digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${digest}` };
    expect(verify('github', `${key}\r\n`, delivery(headers, body))).toMatchObject({ kind: 'verified' });
    expect(verify('github', key.trim(), delivery(headers, body))).toEqual(wrong);
  });
});

describe('stripe', () => {
  const secret = 'whsec_test_secret';
  const body = '{\n  "id": "evt_test_webhook",\n  "object": "event"\n}';
  const sign = (timeS: number, key = secret, text = body) =>
    createHmac('sha256', key).update(`${timeS}.${text}`).digest('hex');
  const header = (timeS = nowS, ...signatures: string[]) =>
    [
      `t=${timeS}`,
      ...(signatures.length === 0 ? [sign(timeS)] : signatures).map((one) => `v1=${one}`),
    ].join();
  const check = (value: string, text = body, key = secret) =>
    verify('stripe', key, delivery({ 'Stripe-Signature': value }, text));

  it('accepts a header that generateTestHeaderString of the package stripe 23.1.0 made', () => {
    const value = 't=1495999758,v1=6340073448544f68e8673f5d451fd66d10b9facf9c1c36f23c174994d49f2091';
    const sent = delivery({ 'Stripe-Signature': value }, body, 1_495_999_758_000);
    expect(verify('stripe', secret, sent)).toMatchObject({ kind: 'verified' });
  });

  it('accepts a signed delivery, and knows it by the id of its event', () => {
    expect(check(header())).toEqual({
      kind: 'verified',
      replayKey: 'evt_test_webhook',
      deliveryId: 'evt_test_webhook',
    });
  });

  it('accepts one valid signature among several, because the secret may be changing', () => {
    expect(check(header(nowS, sign(nowS, 'older'), sign(nowS)))).toMatchObject({ kind: 'verified' });
  });

  it('knows a delivery without an id by its signature', () => {
    const digest = sign(nowS, secret, '[]');
    expect(check(header(nowS, digest), '[]')).toEqual({
      kind: 'verified',
      replayKey: `v1:${digest}`,
      deliveryId: null,
    });
  });

  it.each([
    ['another body', header(), body.replace('evt', 'evil')],
    ['another time', header(nowS, sign(nowS - 1)), body],
    ['two times', `t=${nowS},${header()}`, body],
    ['no time', `v1=${sign(nowS)}`, body],
    ['a time that is no number', `t=now,v1=${sign(nowS)}`, body],
    ['an older version alone', `t=${nowS},v0=${sign(nowS)}`, body],
    ['no signature', `t=${nowS}`, body],
    ['an empty signature', `t=${nowS},v1=`, body],
    ['text', 'nonsense', body],
  ])('refuses %s', (_what, value, text) => {
    expect(check(value, text)).toEqual(wrong);
  });

  it.each([
    [-301, late],
    [-300, { kind: 'verified' }],
    [300, { kind: 'verified' }],
    [301, late],
  ])('a delivery that is %i seconds off', (offset, outcome) => {
    expect(check(header(nowS + offset))).toMatchObject(outcome);
  });
});

describe('standard', () => {
  // The example of the specification.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const example = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const body = '{"test": 2432232314}';
  const exampleMs = 1_614_265_330_000;
  const check = (headers: Record<string, string>, text = body, receivedMs = exampleMs) =>
    verify('standard', secret, delivery({ ...example, ...headers }, text, receivedMs));

  it('accepts the example of the specification', () => {
    expect(check({})).toEqual({
      kind: 'verified',
      replayKey: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    });
  });

  it('accepts the secret without its prefix, and with a line break', () => {
    const bare = `${secret.replace('whsec_', '')}\n`;
    expect(verify('standard', bare, delivery(example, body, exampleMs))).toMatchObject({ kind: 'verified' });
  });

  it('accepts one valid signature among several', () => {
    const value = `v1a,AAAA v1,AAAA ${example['webhook-signature']} v2,x`;
    expect(check({ 'webhook-signature': value })).toMatchObject({ kind: 'verified' });
  });

  it.each([
    ['another body', {}, '{"test": 2432232315}'],
    ['another id', { 'webhook-id': 'msg_other' }, body],
    ['another time', { 'webhook-timestamp': '1614265331' }, body],
    ['another version', { 'webhook-signature': example['webhook-signature'].replace('v1,', 'v1a,') }, body],
    ['a signature without a version', { 'webhook-signature': example['webhook-signature'].slice(3) }, body],
    ['a time that is no number', { 'webhook-timestamp': 'now' }, body],
  ])('refuses %s', (_what, headers, text) => {
    expect(check(headers, text)).toEqual(wrong);
  });

  it.each(['msg.1', 'm'.repeat(300), 'm\u00e9'])('refuses the id %s, and names the header', (id) => {
    const malformed = { kind: 'refused', reason: 'malformed', header: 'webhook-id' };
    expect(checkHeaders('standard', Object.entries({ ...example, 'webhook-id': id }).flat())).toEqual(
      malformed,
    );
    expect(check({ 'webhook-id': id })).toEqual(malformed);
  });

  it('accepts an id with spaces inside', () => {
    const id = 'msg 1';
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const digest = createHmac('sha256', key).update(`${id}.1614265330.${body}`).digest('base64');
    expect(check({ 'webhook-id': id, 'webhook-signature': `v1,${digest}` })).toMatchObject({
      deliveryId: id,
    });
  });

  it('refuses a delivery that is more than 300 seconds old or early', () => {
    expect(check({}, body, exampleMs + 300_000)).toMatchObject({ kind: 'verified' });
    expect(check({}, body, exampleMs + 301_000)).toEqual(late);
    expect(check({}, body, exampleMs - 301_000)).toEqual(late);
  });
});

describe('token', () => {
  const check = (value: string, secret = 'correct horse', more: Record<string, string> = {}) =>
    verify('token', secret, delivery({ Authorization: value, ...more }));
  const verified = { kind: 'verified', replayKey: null, deliveryId: null };

  it.each(['Bearer correct horse', 'bearer  correct horse', 'correct horse'])('accepts %j', (value) => {
    expect(check(value)).toEqual(verified);
  });

  it.each([
    'Bearer',
    'Bearer wrong',
    'Basic correct horse',
    'correct',
    'correct horse battery',
    'Bearer Bearer correct horse',
  ])('refuses %j', (value) => {
    expect(check(value)).toEqual(wrong);
  });

  it('compares the bytes of other scripts', () => {
    const sent = Buffer.from('Bearer 暗号', 'utf8').toString('latin1');
    expect(check(sent, '暗号\n')).toEqual(verified);
  });

  it.each(['Idempotency-Key', 'webhook-id', 'X-GitHub-Delivery'])(
    'knows a delivery by the header %s',
    (name) => {
      expect(check('correct horse', undefined, { [name]: 'abc' })).toEqual({
        kind: 'verified',
        replayKey: 'abc',
        deliveryId: 'abc',
      });
      expect(check('correct horse', undefined, { [name]: ' a b ' })).toMatchObject({ replayKey: 'a b' });
      expect(check('correct horse', undefined, { [name]: '' })).toEqual(verified);
    },
  );
});

describe('the headers of a delivery', () => {
  it.each([
    ['github', ['X-Hub-Signature-256', 'x'], 'ok'],
    ['github', ['X-Hub-Signature', 'sha1=x'], 'no-signature x-hub-signature-256'],
    ['github', ['X-Hub-Signature-256', ' '], 'no-signature x-hub-signature-256'],
    ['github', ['X-Hub-Signature-256', 'x', 'x-hub-signature-256', 'x'], 'malformed x-hub-signature-256'],
    ['standard', ['webhook-id', 'a', 'webhook-signature', 'v1,x'], 'no-signature webhook-timestamp'],
    ['token', [], 'no-signature authorization'],
    ['token', ['Authorization', 'a', 'Authorization', 'b'], 'malformed authorization'],
    ['token', ['Authorization', 'a', 'Idempotency-Key', 'one two'], 'ok'],
    ['token', ['Authorization', 'a', 'Idempotency-Key', '~'.repeat(255)], 'ok'],
    ['token', ['Authorization', 'a', 'Idempotency-Key', ' '], 'ok'],
    ['token', ['Authorization', 'a', 'Idempotency-Key', '~'.repeat(256)], 'malformed idempotency-key'],
    ['token', ['Authorization', 'a', 'Idempotency-Key', 'one\ttwo'], 'malformed idempotency-key'],
    ['token', ['Authorization', 'a', 'webhook-id', 'n\u00e9'], 'malformed webhook-id'],
    [
      'token',
      ['Authorization', 'a', 'Idempotency-Key', 'k', 'X-GitHub-Delivery', '\u007f'],
      'malformed x-github-delivery',
    ],
    ['github', ['X-Hub-Signature-256', 'x', 'X-GitHub-Delivery', '\u0001'], 'malformed x-github-delivery'],
    [
      'token',
      ['Authorization', 'a', 'Idempotency-Key', 'k9', 'idempotency-key', 'k10'],
      'malformed idempotency-key',
    ],
    ['token', ['Authorization', 'a', 'webhook-id', 'k', 'webhook-id', ''], 'malformed webhook-id'],
    ['token', ['Authorization', 'a', 'Idempotency-Key', 'k', 'webhook-id', 'k'], 'ok'],
    ['token', ['Idempotency-Key', 'k', 'Idempotency-Key', 'k'], 'no-signature authorization'],
    [
      'github',
      ['X-Hub-Signature-256', 'x', 'X-GitHub-Delivery', 'a', 'X-GitHub-Delivery', 'b'],
      'malformed x-github-delivery',
    ],
    ['github', ['X-Hub-Signature-256', 'x', 'Idempotency-Key', '~'.repeat(256)], 'ok'],
  ] as const)('are judged before the body: %s %j', (scheme, headers, outcome) => {
    const check = checkHeaders(scheme, headers);
    expect(check === null ? 'ok' : `${check.reason} ${check.header}`).toBe(outcome);
  });
});

describe('a stored secret', () => {
  it.each([
    ['github', 'x', null],
    ['github', '\n', 'The secret "mine" is empty'],
    ['token', ' \n', 'The secret "mine" is empty'],
    ['stripe', 'whsec_x', null],
    ['standard', 'whsec_', 'The secret "mine" is empty'],
    ['standard', 'whsec_not base64!', 'The secret "mine" is not base64, as signature = "standard" requires'],
    ['standard', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', null],
  ] as const)('for %s may be unusable: %j', (scheme, secret, message) => {
    expect(secretProblem(scheme, secret, 'mine')?.message.en ?? null).toBe(message);
  });

  it('that is empty verifies no delivery, not even one that is signed with it', () => {
    const digest = createHmac('sha256', '').update('').digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${digest}` };
    expect(verify('github', '\n', delivery(headers))).toEqual(wrong);
    expect(verify('token', ' ', delivery({ authorization: 'Bearer ' }))).toEqual(wrong);
  });
});
