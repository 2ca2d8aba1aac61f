import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ShieldQuestionMark } from 'lucide-react';
import { Link } from 'wouter';

import { hob } from '../api/hob.ts';
import type { AgentQuestion } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { useShowError } from '../parts/show-error.ts';
import { Ago } from '../parts/time.tsx';
import { focusMain } from '../parts/use-return-focus.ts';

/** The runs that agents want and that wait for the user. */
export function Questions({ questions }: { questions: readonly AgentQuestion[] }) {
  const say = useSay();
  if (questions.length === 0) return null;
  return (
    <section aria-label={say('Waiting for your answer', '等待您的回答')}>
      <ul className="flex flex-col gap-3">
        {questions.map((question) => (
          <QuestionCard key={question.id} question={question} />
        ))}
      </ul>
    </section>
  );
}

type Answer = 'allow' | 'always' | 'refuse';

function QuestionCard({ question }: { question: AgentQuestion }) {
  const say = useSay();
  const client = useQueryClient();
  const showError = useShowError();
  const { id, script_id, script_name, tool, client: program, args, asked_at, expires_at } = question;
  const send = useMutation({
    mutationFn: (answer: Answer) => hob.request('POST', `/api/agents/questions/${id}`, { body: { answer } }),
    onError: showError(say('Could not send the answer', '无法发送回答')),
    async onSettled() {
      await client.invalidateQueries({ queryKey: ['agents'] });
      // The button that had the focus is gone.
      if (document.activeElement === document.body) focusMain();
    },
  });
  const buttons = [
    ['allow', say('Allow once', '允许一次'), 'primary'],
    ['always', say('Always allow', '始终允许'), 'plain'],
    ['refuse', say('Refuse', '拒绝'), 'danger'],
  ] as const;
  return (
    <li className="rounded-xl border border-line-strong bg-surface p-4">
      <div className="flex items-start gap-3">
        <ShieldQuestionMark size={20} aria-hidden className="mt-0.5 shrink-0 text-warn" />
        <div className="min-w-0 grow">
          <h2 className="wrap-anywhere">
            <span className="font-semibold">{program}</span>
            {say(' wants to run ', ' 请求运行 ')}
            <Link href={`/scripts/${script_id}`} className="font-semibold hover:underline">
              {script_name}
            </Link>
          </h2>
          <p className="text-[13px] text-muted">
            <span className="font-mono text-xs">{tool}</span> · <Ago time={asked_at} />
            {say(', expires ', '，失效：')}
            <Ago time={expires_at} />
          </p>
        </div>
      </div>
      <div className="mt-3">
        {args === '{}' ? (
          <p className="text-[13px] text-muted">{say('Without arguments', '没有参数')}</p>
        ) : (
          // Wrapped, so that no part of an argument is out of sight.
          <section
            aria-label={say(`Arguments: ${script_name}`, `参数：${script_name}`)}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
            tabIndex={0}
            className="max-h-[40dvh] overflow-y-auto rounded-lg border border-line bg-canvas p-3 font-mono text-[13px] wrap-anywhere whitespace-pre-wrap"
          >
            {args}
          </section>
        )}
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        {buttons.map(([answer, name, look]) => (
          <Button
            key={answer}
            look={look}
            isBusy={send.isPending}
            aria-label={say(`${name}: ${script_name}`, `${name}：${script_name}`)}
            onClick={() => send.mutate(answer)}
          >
            {name}
          </Button>
        ))}
      </div>
    </li>
  );
}
