import type { Param } from '../../api/wire.ts';
import type { RunCall } from '../form/make-call.ts';
import { type CodeWords, Placeholder, writeValue } from './code-words.ts';

export interface Snippets {
  readonly curl: string;
  readonly python: string;
  readonly javascript: string;
  /** What has to be in the environment where they are pasted. */
  readonly variables: readonly string[];
}

const tokenVariable = 'HOB_TOKEN';

/** A call as it is made from elsewhere, ready to be pasted. What is secret is named, never written. */
export function writeSnippets(
  call: RunCall,
  { origin, params, needsToken }: { origin: string; params: readonly Param[]; needsToken: boolean },
): Snippets {
  const { body, placeholders } = withoutSecrets(call, params);
  const address = `${origin}/api/execute`;
  const secrets = placeholders.map(({ variable }) => variable);
  return {
    curl: curl(address, body, needsToken),
    python: python(address, body, { needsToken, hasSecrets: secrets.length > 0 }),
    javascript: javascript(address, body, needsToken),
    variables: needsToken ? [...secrets, tokenVariable] : secrets,
  };
}

function curl(address: string, body: unknown, needsToken: boolean): string {
  // Nothing ends a text in single quotes but such a quote.
  const quoted = (text: string) => text.replaceAll("'", `'\\''`);
  const words: CodeWords = {
    text: (value) => quoted(JSON.stringify(value)),
    yes: 'true',
    no: 'false',
    none: 'null',
    secret: ({ variable, isText }) =>
      isText ? `"'"$(printf %s "$${variable}" | sed 's/[\\"]/\\\\&/g')"'"` : `'"$${variable}"'`,
  };
  return [
    `curl -sS '${address}'`,
    ...(needsToken ? [`-H "Authorization: Bearer $${tokenVariable}"`] : []),
    `-H 'Content-Type: application/json'`,
    `-d '${writeValue(body, words)}'`,
  ].join(' \\\n  ');
}

function python(
  address: string,
  body: unknown,
  { needsToken, hasSecrets }: { needsToken: boolean; hasSecrets: boolean },
): string {
  const words: CodeWords = {
    text: (value) => JSON.stringify(value),
    yes: 'True',
    no: 'False',
    none: 'None',
    secret: ({ variable, isText }) =>
      isText ? `os.environ["${variable}"]` : `json.loads(os.environ["${variable}"])`,
  };
  const token = needsToken ? `, "Authorization": "Bearer " + os.environ["${tokenVariable}"]` : '';
  return `import json
${needsToken || hasSecrets ? 'import os\n' : ''}import urllib.request

body = ${writeValue(body, words)}
request = urllib.request.Request(
  ${JSON.stringify(address)},
  json.dumps(body).encode(),
  {"Content-Type": "application/json"${token}},
)
with urllib.request.urlopen(request) as answer:
  print(json.load(answer))
`;
}

function javascript(address: string, body: unknown, needsToken: boolean): string {
  const words: CodeWords = {
    text: (value) => JSON.stringify(value),
    yes: 'true',
    no: 'false',
    none: 'null',
    secret: ({ variable, isText }) =>
      isText ? `process.env.${variable}` : `JSON.parse(process.env.${variable})`,
  };
  const token = needsToken ? `, Authorization: \`Bearer \${process.env.${tokenVariable}}\`` : '';
  return `const answer = await fetch(${JSON.stringify(address)}, {
  method: "POST",
  headers: { "Content-Type": "application/json"${token} },
  body: JSON.stringify(${writeValue(body, words, '  ')}),
});
console.log(await answer.json());
`;
}

function withoutSecrets(call: RunCall, params: readonly Param[]) {
  const placeholders: Placeholder[] = [];
  const shown = Object.entries(call.params ?? {}).map(([name, value]): [string, unknown] => {
    const param = params.find((each) => each.name === name);
    if (param?.secret !== true) return [name, value];
    const taken = placeholders.map(({ variable }) => variable);
    const placeholder = new Placeholder(
      variableFor(name, taken),
      param.type === 'str' || param.type === 'any',
    );
    placeholders.push(placeholder);
    return [name, placeholder];
  });
  const body = call.params === undefined ? call : { ...call, params: Object.fromEntries(shown) };
  return { body, placeholders };
}

/** The name of a param as that of a variable, which no other has. */
function variableFor(name: string, taken: readonly string[]): string {
  const plain = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  const base = /^[A-Z][A-Z0-9_]*$/.test(plain)
    ? plain
    : `SECRET${plain.replace(/^_?/, '_').replace(/_$/, '')}`;
  let [variable, count] = [base, 1];
  while (taken.includes(variable) || variable === tokenVariable) {
    count += 1;
    variable = `${base}_${count}`;
  }
  return variable;
}
