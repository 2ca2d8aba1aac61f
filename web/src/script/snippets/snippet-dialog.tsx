import { queryOptions, useQuery } from '@tanstack/react-query';
import { Tabs } from 'radix-ui';
import { useState } from 'react';

import type { Param } from '../../api/wire.ts';
import { tagOf, useLanguage, useSay } from '../../language/language.tsx';
import { CodeBox } from '../../parts/code-box.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import type { RunCall } from '../form/make-call.ts';
import { writeSnippets } from './snippets.ts';

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
