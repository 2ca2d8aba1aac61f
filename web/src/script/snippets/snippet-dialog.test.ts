import { expect, it } from 'vitest';

import type { Param } from '../../api/wire.ts';
import { writeSnippets } from './snippet-dialog.tsx';

const secret = (name: string, type = 'str'): Param => ({
  name,
  label: name,
  type,
  required: true,
  choices: [],
  choice_labels: {},
  secret: true,
  when: null,
  description: null,
});
const script_id = '60000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const options = { origin: 'http://127.0.0.1:9527', params: [], needsToken: false, languageTag: 'en' };

it('has a variable with a unique name instead of each secret', () => {
  const params = [
    secret('api-key'),
    secret('api_key'),
    secret('密钥'),
    secret('pin', 'int'),
    secret('hob_token'),
  ];
  const values = {
    'api-key': 'hunter2',
    api_key: 'hunter2',
    密钥: 'hunter2',
    pin: 1234,
    hob_token: 'hunter2',
  };
  const all = writeSnippets({ script_id, params: values }, { ...options, params });
  expect(JSON.stringify(all)).not.toMatch(/hunter2|1234/);
  expect(all.variables).toEqual(['API_KEY', 'API_KEY_2', 'SECRET', 'PIN', 'HOB_TOKEN_2']);
  expect(all.python).toContain('"pin": json.loads(os.environ["PIN"])');
});

it('sends the token if one is required', () => {
  const { variables, ...codes } = writeSnippets({ script_id }, { ...options, needsToken: true });
  expect(variables).toEqual(['HOB_TOKEN']);
  for (const code of Object.values(codes)) expect(code).toMatch(/Authorization.+HOB_TOKEN/);
});

it('asks for errors in the language of the page', () => {
  const { variables, ...codes } = writeSnippets({ script_id }, { ...options, languageTag: 'zh-CN' });
  expect(variables).toEqual([]);
  for (const code of Object.values(codes)) expect(code).toMatch(/Accept-Language"?: "?zh-CN/);
});

it('sends only the id if there is no input', () => {
  expect(writeSnippets({ script_id }, options).curl).toBe(
    [
      `curl -sS 'http://127.0.0.1:9527/api/execute' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -H 'Accept-Language: en' \\`,
      `  -d '{`,
      `  "script_id": "${script_id}"`,
      `}'`,
    ].join('\n'),
  );
});
