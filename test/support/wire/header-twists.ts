import { add, type Twist, without } from './edit-draft.ts';

export const otherTwists: Twist[] = [
  (draft, random) =>
    add(
      draft,
      random,
      random.pick(['Expect: 100-continue', 'Expect: 100-Continue', 'Expect: 200-ok', 'Expect:']),
    ),
  (draft, random) => {
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    add(draft, random, 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', key);
  },
  (draft, random) =>
    add(draft, random, 'Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABk'),
  (draft, random) =>
    add(
      draft,
      random,
      `Connection: ${random.pick(['close', 'Close', 'keep-alive, close', 'Host', 'x', ''])}`,
    ),
  (draft, random) => {
    without(draft, 'content-type');
    add(
      draft,
      random,
      `Content-Type: ${random.pick(['', ';', 'APPLICATION/JSON', 'application/json;;', 'json', '\xff/\xff', 'text/plain'])}`,
    );
  },
  (draft, random) =>
    add(
      draft,
      random,
      `Accept-Language: ${random.pick(['zh', '*', '', ';q=1', 'en;q=x', '\xff', 'x'.repeat(5000)])}`,
    ),
  (draft, random) =>
    add(
      draft,
      random,
      random.pick(['X-Hob-Origin: cli', 'Authorization: Bearer x', 'Cookie: a=b', 'Idempotency-Key: \xff']),
    ),
  (draft, random) => {
    const bad = [
      'X-A\0: b',
      'X-A: b\0c',
      'X-A : b',
      'X A: b',
      ': b',
      'X-A',
      ' X-A: b',
      'X-A: b\rHost: evil.test',
      'X-A: b\nHost: evil.test',
    ];
    add(
      draft,
      random,
      random.pick([
        ...bad,
        'X-A: b\x01',
        'X-A: b\x7f',
        'X-A: b\r',
        '\x80: b',
        'X-A: \xe4',
        'X-A:\tb',
        'X-A:',
        'X(A): b',
      ]),
    );
  },
  (draft, random) => add(draft, random, `X-Long: ${'y'.repeat(random.pick([8000, 20_000, 40_000, 70_000]))}`),
  (draft, random) => {
    if (draft.headers.length > 40) return;
    const many = Array.from({ length: random.pick([40, 900, 2500]) }, () => 'x:');
    draft.headers.splice(random.pick([0, draft.headers.length]), 0, ...many);
  },
  (draft, random) => {
    draft.before = random.pick([
      '\r\n',
      '\r\n\r\n',
      '\n',
      '\r',
      ' ',
      '\0',
      '\t',
      '\xef\xbb\xbf',
      '\x16\x03\x01',
    ]);
  },
  (draft, random) => {
    draft.lineEnd = random.pick(['\n', '\r', '\r\r\n', '\n\r']);
  },
];
