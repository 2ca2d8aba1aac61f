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

interface SnippetOptions {
  readonly origin: string;
  readonly params: readonly Param[];
  readonly needsToken: boolean;
  /** In what language refusals are wanted: without one, the service speaks Chinese. */
  readonly languageTag: string;
}

interface CallInCode extends Pick<SnippetOptions, 'needsToken' | 'languageTag'> {
  readonly address: string;
  readonly body: unknown;
  readonly variables: readonly string[];
}

const tokenVariable = 'HOB_TOKEN';
/** A text of several lines as it stands in JSON. */
const awkEscape = String.raw`awk '{ gsub(/[\\"]/, "\\\\&"); gsub(/\t/, "\\t"); gsub(/\r/, "\\r"); printf "%s%s", s, $0; s = "\\n" }'`;

/** A call as it is made from elsewhere, ready to be pasted. What is secret is named, never written. */
export function writeSnippets(
  call: RunCall,
  { origin, params, needsToken, languageTag }: SnippetOptions,
): Snippets {
  const { body, placeholders } = withoutSecrets(call, params);
  const secrets = placeholders.map(({ variable }) => variable);
  const variables = needsToken ? [...secrets, tokenVariable] : secrets;
  const made: CallInCode = { address: `${origin}/api/execute`, body, needsToken, languageTag, variables };
  return { curl: curl(made), python: python(made), javascript: javascript(made), variables };
}

function curl({ address, body, needsToken, languageTag, variables }: CallInCode): string {
  // Nothing ends a text in single quotes but such a quote.
  const quoted = (text: string) => text.replaceAll("'", `'\\''`);
  const words: CodeWords = {
    text: (value) => quoted(JSON.stringify(value)),
    yes: 'true',
    no: 'false',
    none: 'null',
    secret: ({ variable, isText }) =>
      isText ? `"'"$(printf '%s\\n' "$${variable}" | ${awkEscape})"'"` : `'"$${variable}"'`,
  };
  // On its own line it would stop nothing where lines are pasted; within `$(…)`, only what is in there.
  const check = variables.map((variable) => `"\${${variable}:?}"`).join(' ');
  return [
    ...(check === '' ? [] : [`: ${check} &&`]),
    `curl -sS '${address}'`,
    ...(needsToken ? [`-H "Authorization: Bearer $${tokenVariable}"`] : []),
    `-H 'Content-Type: application/json'`,
    `-H 'Accept-Language: ${languageTag}'`,
    `-d '${writeValue(body, words)}'`,
  ].join(' \\\n  ');
}

function python({ address, body, needsToken, languageTag, variables }: CallInCode): string {
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
${variables.length > 0 ? 'import os\n' : ''}import urllib.request

body = ${writeValue(body, words)}
request = urllib.request.Request(
  ${JSON.stringify(address)},
  json.dumps(body).encode(),
  {"Content-Type": "application/json", "Accept-Language": "${languageTag}"${token}},
)
with urllib.request.urlopen(request) as answer:
  print(json.load(answer))
`;
}

function javascript({ address, body, needsToken, languageTag, variables }: CallInCode): string {
  const words: CodeWords = {
    text: (value) => JSON.stringify(value),
    yes: 'true',
    no: 'false',
    none: 'null',
    secret: ({ variable, isText }) =>
      isText ? `process.env.${variable}` : `JSON.parse(process.env.${variable})`,
  };
  const token = needsToken ? `, Authorization: \`Bearer \${process.env.${tokenVariable}}\`` : '';
  // What is undefined is left out of JSON without a word.
  const check = `for (const name of ${JSON.stringify(variables)})
  if (!process.env[name]) throw new Error(\`\${name} is not set\`);
`;
  return `${variables.length > 0 ? check : ''}const answer = await fetch(${JSON.stringify(address)}, {
  method: "POST",
  headers: { "Content-Type": "application/json", "Accept-Language": "${languageTag}"${token} },
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
