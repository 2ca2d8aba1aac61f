import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { projectRoot } from '../support/hob.ts';
import { npmProgram } from '../support/mcp-suites.ts';
import { bash } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';

const inspector = npmProgram(
  '@modelcontextprotocol/inspector',
  ...['clients', 'launcher', 'build', 'index.js'],
);
const service = shareService();

const transports = {
  HTTP: () => [`${service.hob.url}/mcp`],
  stdio: () => [process.execPath, join(projectRoot, 'bin', 'hob.js'), ...['mcp', '--home', service.hob.home]],
};

const params = `
[service.mcp]
name = "count_words"

[[service.outputs]]
name = "words"
type = "int"

[[service.params]]
name = "text"
type = "str"
required = true

[[service.params]]
name = "least"
type = "int"
default = 1
`;

const entry = bash(`
hob param text
echo "{\\"code\\": 0, \\"msg\\": \\"$(hob param text | wc -w) words, at least $(hob param least) wanted\\"}" > "$output"
`);

/** Prints the JSON of each answer to stdout, and a JSON description of a failure to stderr. */
async function inspect(transport: keyof typeof transports, ...args: string[]) {
  const { code, stdout, stderr } = await inspector.run(['--cli', ...transports[transport](), ...args]);
  return { code, answer: parsed(stdout), failure: parsed(stderr) };
}

function parsed(text: string): unknown {
  return text.trim() === '' ? null : JSON.parse(text);
}

describe.runIf(inspector.isHere)('the inspector of the protocol', () => {
  beforeAll(() => service.add('count-words', { entry, tables: params }));

  describe.each(['HTTP', 'stdio'] as const)('over %s', (transport) => {
    const call = (name: string, ...args: string[]) =>
      inspect(transport, '--method', 'tools/call', '--tool-name', name, ...args);

    it('lists the tools, and finds no problem in their schemas', async () => {
      const { code, answer, failure } = await inspect(transport, '--method', 'tools/list', '--strict');
      expect({ code, failure }).toEqual({ code: 0, failure: null });
      expect(answer).toMatchObject({
        tools: expect.arrayContaining([
          expect.objectContaining({ name: 'hob_wait' }),
          expect.objectContaining({
            name: 'count_words',
            inputSchema: expect.objectContaining({ required: ['text'] }),
          }),
        ]),
      });
    });

    it('calls a tool and reads what it printed', async () => {
      const text = 'one two  "three" $HOME';
      const called = await call('count_words', '--tool-arg', `text=${text}`, 'least=2');
      expect(called).toMatchObject({
        code: 0,
        answer: { structuredContent: { code: 0, msg: '4 words, at least 2 wanted' } },
        failure: null,
      });
      const [, uri = ''] = /"(hob:[^"]+\/stdout)"/.exec(JSON.stringify(called.answer)) ?? [];
      expect(await inspect(transport, '--method', 'resources/read', '--uri', uri)).toEqual({
        code: 0,
        answer: expect.objectContaining({ contents: [{ uri, mimeType: 'text/plain', text: `${text}\n` }] }),
        failure: null,
      });
    });

    it('shows errors', async () => {
      expect(await call('count_words', '--tool-arg', 'text=a', 'most=2')).toEqual({
        code: 5,
        answer: {
          content: [
            {
              type: 'text',
              text: 'The tool count_words has no argument "most". It has these: text, least.',
            },
          ],
          isError: true,
        },
        failure: {
          error: { code: 'tool_is_error', message: "Tool 'count_words' returned isError:true." },
        },
      });
      const uri = `hob://runs/${randomUUID()}`;
      const missing = await inspect(transport, '--method', 'resources/read', '--uri', uri);
      expect(missing).toEqual({
        code: 1,
        answer: null,
        failure: {
          error: { code: 'error', message: expect.stringContaining(`There is no resource ${uri}`) },
        },
      });
    });
  });
});
