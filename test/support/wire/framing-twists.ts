import type { SeededRandom } from '../random.ts';
import type { Draft } from './draft-request.ts';
import { add, oddCase, type Twist, without } from './edit-draft.ts';

export const framingTwists: Twist[] = [
  (draft, random) => {
    const length = draft.body.length;
    const spelled = [
      `-${length}`,
      `+${length}`,
      `0x${length}`,
      '99999999999999999999999',
      '18446744073709551615',
      '1e3',
      '',
    ];
    without(draft, 'content-length');
    const more = [
      'abc',
      `${length}, ${length}`,
      `${length} ${length}`,
      `0${length}`,
      `${length}.0`,
      `${length + 7}`,
      `${Math.max(0, length - 3)}`,
    ];
    add(draft, random, `Content-Length: ${random.pick([...spelled, ...more, '9007199254740993'])}`);
  },
  (draft, random) => {
    const length = draft.body.length;
    add(draft, random, `Content-Length: ${random.pick([length, length, 0, length + 1, 5])}`);
  },
  (draft, random) => {
    const codings = [
      'chunked',
      'Chunked',
      'identity',
      'xchunked',
      'chunked, chunked',
      'gzip, chunked',
      'chunked, identity',
      'chunked;x',
      '',
    ];
    if (random.next() < 0.6) without(draft, 'content-length');
    add(draft, random, `${oddCase('transfer-encoding', random)}: ${random.pick(codings)}`);
    if (random.next() < 0.7) chunkBody(draft, random);
  },
  (draft, random) => {
    without(draft, 'content-length');
    add(draft, random, 'Transfer-Encoding: chunked');
    chunkBody(draft, random);
  },
  (draft, random) => {
    without(draft, 'content-length');
    add(
      draft,
      random,
      'Transfer-Encoding: chunked',
      random.pick(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity', 'TE: trailers']),
    );
    chunkBody(draft, random);
  },
];

function chunkBody(draft: Draft, random: SeededRandom): void {
  const size = draft.body.length.toString(16);
  const sizes = [
    size,
    size,
    size,
    size.toUpperCase(),
    `0${size}`,
    `${size};a=b`,
    `${size};`,
    `${size} `,
    `-${size}`,
    `+${size}`,
    `0x${size}`,
    'zz',
    '',
    'fffffffffffffffff',
    `${size}\n`,
  ];
  const last = random.pick([
    '0\r\n\r\n',
    '0\r\n\r\n',
    '0\r\n\r\n',
    '0\r\nHost: evil.test\r\n\r\n',
    '0\r\n',
    '',
    '00\r\n\r\n',
    '0\n\n',
  ]);
  const chunk =
    draft.body === ''
      ? ''
      : `${random.pick(sizes)}\r\n${draft.body}${random.pick(['\r\n', '\r\n', '\r\n', '', '\n'])}`;
  draft.body = chunk + last;
}
