import { queryOptions, useQuery } from '@tanstack/react-query';
import { Tabs } from 'radix-ui';
import { useState } from 'react';

import type { Param } from '../../api/wire.ts';
import { tagOf, useLanguage, useSay } from '../../language/language.tsx';
import { CodeBox } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import type { RunCall } from '../form/make-call.ts';

/** Whether the service requires a token. The request omits the session cookie of this page. */
const needsTokenQuery = queryOptions({
  queryKey: ['needs-token'],
  queryFn: async ({ signal }) => {
    const { status } = await fetch('/api/script.schema.json', {
      method: 'HEAD',
      credentials: 'omit',
      signal,
    });
    return status === 401;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

const languages = [
  ['curl', 'curl'],
  ['python', 'Python'],
  ['javascript', 'JavaScript'],
] as const;

interface SnippetDialogProps {
  /** The call to show; null closes the dialog. */
  readonly call: RunCall | null;
  readonly params: readonly Param[];
  readonly onClose: () => void;
}

/** Shows the call of the form as code for other programs. */
export function SnippetDialog({ call, params, onClose }: SnippetDialogProps) {
  const say = useSay();
  return (
    <Dialog
      isOpen={call !== null}
      onClose={onClose}
      title={say('Call this script from code', '从其他程序发起相同的调用')}
      isWide
    >
      {call !== null && <Content call={call} params={params} />}
    </Dialog>
  );
}

function Content({ call, params }: { call: RunCall; params: readonly Param[] }) {
  const { say, language: spoken } = useLanguage();
  const [language, setLanguage] = useState<(typeof languages)[number][0]>('curl');
  const { data: needsToken = false } = useQuery(needsTokenQuery);
  const languageTag = tagOf(spoken);
  const snippets = writeSnippets(call, { origin: location.origin, params, needsToken, languageTag });
  const variables = snippets.variables.map((name) => `$${name}`);
  return (
    <Tabs.Root
      value={language}
      onValueChange={(chosen) => setLanguage(languages.find(([key]) => key === chosen)?.[0] ?? 'curl')}
    >
      <div className="mb-3 flex items-center justify-between gap-2">
        <Tabs.List aria-label={say('Language', '语言')} className="flex gap-1">
          {languages.map(([key, name]) => (
            <Tabs.Trigger
              key={key}
              value={key}
              className="h-8 rounded-lg px-3 text-muted hover:bg-hover data-[state=active]:bg-accent-ground data-[state=active]:font-medium data-[state=active]:text-accent"
            >
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <CopyButton text={snippets[language]} label={say('Copy code', '复制代码')} />
      </div>
      {languages.map(([key, name]) => (
        <Tabs.Content key={key} value={key} tabIndex={-1} className="outline-none">
          <CodeBox label={name} text={snippets[key]} />
        </Tabs.Content>
      ))}
      {variables.length > 0 && (
        <p className="mt-3 rounded-lg bg-warn-ground px-3 py-2 text-warn">
          {say(
            `Secrets are not copied. Set ${variables.join(', ')} in the environment before you run the code.`,
            `不会复制密文，运行前请设置环境变量 ${variables.join('、')}。`,
          )}
        </p>
      )}
    </Tabs.Root>
  );
}

/** Stands for the value of a secret, which the code reads from an environment variable. */
class Placeholder {
  readonly variable: string;
  /** Whether the variable holds plain text; otherwise it holds JSON. */
  readonly isText: boolean;

  constructor(variable: string, isText: boolean) {
    this.variable = variable;
    this.isText = isText;
  }
}

/** The notation of values in a programming language. */
interface CodeWords {
  readonly text: (value: string) => string;
  readonly yes: string;
  readonly no: string;
  readonly none: string;
  readonly secret: (placeholder: Placeholder) => string;
}

interface Snippets {
  readonly curl: string;
  readonly python: string;
  readonly javascript: string;
  /** The environment variables that the code needs. */
  readonly variables: readonly string[];
}

interface SnippetOptions {
  readonly origin: string;
  readonly params: readonly Param[];
  readonly needsToken: boolean;
  /** The language of error messages; Chinese by default. */
  readonly languageTag: string;
}

interface CallInCode extends Pick<SnippetOptions, 'needsToken' | 'languageTag'> {
  readonly address: string;
  readonly body: unknown;
  readonly variables: readonly string[];
}

const tokenVariable = 'HOB_TOKEN';

/** Escapes a text with several lines for JSON. */
const awkEscape = String.raw`awk '{ gsub(/[\\"]/, "\\\\&"); gsub(/\t/, "\\t"); gsub(/\r/, "\\r"); printf "%s%s", s, $0; s = "\\n" }'`;

/** Writes a call as code in several languages. Secrets are read from variables and never written. */
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
  // In single quotes only the quote itself needs escaping.
  const quoted = (text: string) => text.replaceAll("'", `'\\''`);
  const words: CodeWords = {
    text: (value) => quoted(JSON.stringify(value)),
    yes: 'true',
    no: 'false',
    none: 'null',
    secret: ({ variable, isText }) =>
      isText ? `"'"$(printf '%s\\n' "$${variable}" | ${awkEscape})"'"` : `'"$${variable}"'`,
  };
  // Joined with `&&`: on a separate line it would not stop pasted commands, and inside `$(…)` it would stop only the subshell.
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
  // Without this check, JSON.stringify silently drops undefined values.
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

/** A unique variable name for a parameter. */
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

/** Writes a JSON value with placeholders as multi-line code. */
function writeValue(value: unknown, words: CodeWords, margin = ''): string {
  if (value instanceof Placeholder) return words.secret(value);
  if (typeof value === 'string') return words.text(value);
  if (typeof value === 'number') return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value !== 'object' || value === null) return words.none;
  const inner = `${margin}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((item) => writeValue(item, words, inner))
    : Object.entries(value).map(([key, item]) => `${words.text(key)}: ${writeValue(item, words, inner)}`);
  if (members.length === 0) return open + close;
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${margin}${close}`;
}
