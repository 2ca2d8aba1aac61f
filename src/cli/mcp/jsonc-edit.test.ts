import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { JsoncError, parseJsonc, plainValue } from './jsonc.ts';
import { NotAnObjectError, removeEntry, setEntry } from './jsonc-edit.ts';

const entry = { command: 'node', args: ['hob.js', 'mcp'] };
const add = (text: string) => setEntry(text, 'servers', 'hob', entry);
const remove = (text: string) => removeEntry(text, 'servers', 'hob');

const commented = `// My servers
{
    /* keep */ "inputs": [1, 2,], // two
    "servers": {
        // The first.
        "a": { "command": "x" } // no comma
        // The end.
    },
}
`;

describe('setEntry', () => {
  it('adds an entry behind the others, with their indentation, and keeps comments', () => {
    expect(add(commented)).toBe(`// My servers
{
    /* keep */ "inputs": [1, 2,], // two
    "servers": {
        // The first.
        "a": { "command": "x" }, // no comma
        // The end.
        "hob": {
            "command": "node",
            "args": [
                "hob.js",
                "mcp"
            ]
        }
    },
}
`);
  });

  it('writes a missing group and a missing file', () => {
    const whole = '{\n  "servers": {\n    "hob": {\n      "command": "x"\n    }\n  }\n}\n';
    expect(setEntry('', 'servers', 'hob', { command: 'x' })).toBe(whole);
    expect(setEntry('{}\n', 'servers', 'hob', { command: 'x' })).toBe(whole);
    expect(setEntry('{\n\t"a": 1\n}', 'servers', 'hob', { command: 'x' })).toBe(
      '{\n\t"a": 1,\n\t"servers": {\n\t\t"hob": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}',
    );
  });

  it('replaces only the entry', () => {
    const text = '{ "servers": {\r\n  "hob": { "old": 1 }, // mine\r\n  "b": 2\r\n} }';
    const changed = setEntry(text, 'servers', 'hob', { c: 1 });
    expect(changed).toBe('{ "servers": {\r\n  "hob": {\r\n    "c": 1\r\n  }, // mine\r\n  "b": 2\r\n} }');
  });

  it('keeps a text in one line', () => {
    expect(setEntry('{"a":1,"servers":{}}', 'servers', 'hob', { c: 1 })).toBe(
      '{"a":1,"servers":{"hob":{"c":1}}}',
    );
    expect(setEntry('{"a":1}', 'servers', 'hob', { c: 1 })).toBe('{"a":1,"servers":{"hob":{"c":1}}}');
  });

  it('refuses a text that is not JSON, and says where', () => {
    const fault = (text: string) => {
      try {
        return add(text);
      } catch (error) {
        return error instanceof JsoncError ? [error.line, error.column] : error;
      }
    };
    expect(fault('{\n  "a": 1\n  "b": 2 }')).toEqual([3, 3]);
    expect(fault('{"a": tru}')).toEqual([1, 7]);
    expect(fault('{"a": 1')).toEqual([1, 8]);
    expect(fault('{} x')).toEqual([1, 4]);
    expect(fault('{"a": 1,, "b": 2}')).toEqual([1, 9]);
    expect(fault('{ /* open }')).toEqual([1, 3]);
    expect(fault('[]')).toBeInstanceOf(NotAnObjectError);
    expect(fault('{"servers": []}')).toBeInstanceOf(NotAnObjectError);
  });
});

describe('removeEntry', () => {
  it('restores the text from before the entry was added', () => {
    for (const text of [
      commented.replace(' // no comma', ''),
      '{\n  "servers": {\n    "a": 1\n  }\n}\n',
      '{\r\n\t"servers": {\r\n\t\t"a": 1\r\n\t}\r\n}',
      '{\n  "servers": {}\n}\n',
      '{"servers":{"a":1}}',
      '{\n  "servers": { "a": 1 }\n}',
    ])
      expect(remove(add(text)).replace('{ "command": "x" },', '{ "command": "x" }')).toBe(text);
  });

  it('keeps the comments around the entry', () => {
    expect(remove('{\n  "servers": {\n    "a": 1, // one\n    "hob": {} } // end\n}')).toBe(
      '{\n  "servers": {\n    "a": 1 // one\n } // end\n}',
    );
    expect(remove('{\n  "servers": {\n    // ours\n    "hob": {},\n    // other\n    "b": 2\n  }\n}')).toBe(
      '{\n  "servers": {\n    // ours\n    // other\n    "b": 2\n  }\n}',
    );
  });

  it('removes each of equal keys', () => {
    expect(remove('{"servers": {"hob": 1, "a": 2, "hob": 3}}')).toBe('{"servers": {"a": 2}}');
  });
});

/** JSON with comments, trailing commas and odd white space in many places. */
const blanks = fc.constantFrom('', ' ', '\n', '\r\n  ', ' // {"\n', '/* , } */', '\n\n\t');
const keys = fc.constantFrom('"a"', '"hob"', '"servers"', '"__proto__"', '"b\\"}"');
const { object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('1', 'null', '"}, //"', '[1, /* ] */ 2,]', '-1.5e3'),
    tie('object'),
  ),
  object: fc
    .tuple(
      fc.array(fc.tuple(blanks, keys, blanks, tie('value'), blanks), { maxLength: 4 }),
      blanks,
      fc.boolean(),
    )
    .map(([members, end, isTrailing]) => {
      const texts = members.map(
        ([before, key, colon, value, after]) => `${before}${key}${colon}:${value}${after}`,
      );
      return `{${texts.join(',')}${isTrailing && texts.length > 0 ? ',' : ''}${end}}`;
    }),
}));

it('changes nothing but the entry, in any text', () => {
  const document = fc.tuple(blanks, object, object, blanks, blanks);
  fc.assert(
    fc.property(document, ([start, others, servers, before, end]) => {
      const inside = others.slice(1, -1).trimEnd();
      const isOpen = plainText(others) === '{}' || parsedEndsWithComma(others);
      const text = `${start}{${inside}\n${isOpen ? '' : ','}${before}"servers":${servers}}${end}`;
      const root = plainValue(parseJsonc(text));
      const entries = Object(Reflect.get(Object(root), 'servers'));
      expect(plainValue(parseJsonc(add(text)))).toEqual({
        ...Object(root),
        servers: { ...entries, hob: entry },
      });
      const { hob: _, ...rest } = entries;
      expect(plainValue(parseJsonc(remove(text)))).toEqual({ ...Object(root), servers: rest });
      expect(plainValue(parseJsonc(remove(add(text))))).toEqual({ ...Object(root), servers: rest });
    }),
    { numRuns: 500 },
  );
});

function plainText(text: string): string {
  return JSON.stringify(plainValue(parseJsonc(text)));
}

function parsedEndsWithComma(text: string): boolean {
  const root = parseJsonc(text);
  return root.kind === 'object' && root.members.at(-1)?.comma !== null;
}
