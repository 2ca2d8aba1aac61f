import { useQuery } from '@tanstack/react-query';
import { Download, Info } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Link } from 'wouter';

import { exactText } from '../api/exact-json.ts';
import type { Run } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button, buttonClasses } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { bytesText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { stateLooks } from '../parts/run-state.tsx';
import { endWords, scriptWords, shownState } from '../parts/words-of-runs.ts';
import { StreamText } from './output/stream-text.ts';
import { notesQuery } from './run-query.ts';
import { ValueTree } from './values/value-tree.tsx';

/** Sequences that full-screen programs use: absolute cursor positions, scroll regions and the alternate screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const drawing = /\u001b\[(?:\d+;\d+[Hf]|H|\d*;\d*r|\?(?:47|1047|1049)[hl])/;

/** How a run ended, with warnings and notes. */
export function RunOutcome({ run }: { run: Run }) {
  const say = useSay();
  const { icon: Icon, ink, ground } = stateLooks[shownState(run)];
  const message = messageOf(run);
  // The message of a successful script is enough.
  const saysItself = run.state === 'succeeded' && run.result?.code === 0 && message !== '';
  const left = run.left_running ?? 0;
  return (
    <div className="mb-4 flex flex-col gap-2 empty:hidden">
      {run.ended_at !== null && (
        <section
          aria-label={say('Outcome', '结果')}
          className={classes('flex gap-3 rounded-xl border border-line px-4 py-3', ground)}
        >
          <Icon size={18} aria-hidden className={classes('mt-0.5 shrink-0', ink)} />
          <div className="min-w-0 grow">
            {!saysItself && <p className={classes('font-medium', ink)}>{endWords(run, say)}</p>}
            {message !== '' && (
              <p className="whitespace-pre-wrap wrap-anywhere">
                {message.slice(0, longestMessage)}
                {message.length > longestMessage && ' …'}
              </p>
            )}
          </div>
        </section>
      )}
      {left > 0 && (
        <Note>
          {say(
            left === 1
              ? 'The script left a process running when it ended.'
              : `The script left ${left} processes running when it ended.`,
            `脚本结束时留下了 ${left} 个仍在运行的进程。`,
          )}
        </Note>
      )}
      {run.truncated === true && (
        <Note>
          {say(
            'The output is larger than Hob keeps. The middle part is missing on this page and in the files.',
            '输出超出 Hob 的保留上限：页面和下载文件中都缺少中间部分。',
          )}
        </Note>
      )}
      <HobNotes runId={run.run_id} />
    </div>
  );
}

/** A message may have megabytes. The result below has all of it. */
const longestMessage = 2000;

/** The message of the script, or the end of the output of a failed script. */
function messageOf(run: Run): string {
  const words = scriptWords(run);
  if (run.envelope !== 'synthesized') return words;
  return run.exit_code === 0 ? '' : plainText(words);
}

function Note({ children }: { children: ReactNode }) {
  return (
    <p className="flex gap-3 rounded-xl border border-line bg-warn-ground px-4 py-2.5 text-warn">
      <Info size={16} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}

/** Notes of Hob about a run, one per line. Each line starts with a timestamp. */
function HobNotes({ runId }: { runId: string }) {
  const { data = '' } = useQuery(notesQuery(runId));
  const lines = data.split('\n').filter(Boolean);
  return lines.map((line) => (
    <Note key={line}>
      <WithRuns text={line.replace(/^\d{4}-\S+Z /, '')} />
    </Note>
  ));
}

const runIds = /([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/;

/** Turns the run ids in a text into links. */
function WithRuns({ text }: { text: string }) {
  return text.split(runIds).map((part) =>
    runIds.test(part) ? (
      <Link key={part} href={`/runs/${part}`} className="underline">
        {part}
      </Link>
    ) : (
      part
    ),
  );
}

/** The visible text of terminal output; empty for full-screen programs. */
export function plainText(written: string): string {
  if (drawing.test(written)) return '';
  const lines: string[] = [];
  const stream = new StreamText();
  const add = (pieces: readonly { text: string }[]) => lines.push(pieces.map(({ text }) => text).join(''));
  stream.take(written, add);
  if (stream.open !== null) add(stream.open);
  return lines.join('\n').trim();
}

/** Larger records are not shown as raw text. */
const mostRawBytes = 300_000;

/** The envelope as a tree or as raw JSON. */
export function RunResult({ run, sizeBytes }: { run: Run; sizeBytes: number }) {
  const say = useSay();
  const [isRaw, setRaw] = useState(false);
  const { result } = run;
  if (result === null) return null;
  return (
    <Panel
      title={say('Result', '返回结果')}
      aside={
        <>
          <Button size="small" look="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {isRaw ? say('Tree view', '树形') : say('Raw JSON', '原始 JSON')}
          </Button>
          <CopyButton text={() => exactText(result)} label={say('Copy result', '复制结果')} />
        </>
      }
    >
      {run.envelope === 'synthesized' && (
        <p className="mb-2 text-muted">
          {say(
            'The script wrote no valid result. Hob created this one.',
            '脚本没有写出有效的结果，以下由 Hob 生成。',
          )}
        </p>
      )}
      {sizeBytes > mostRawBytes && <LargeRecord run={run} sizeBytes={sizeBytes} />}
      <div className="font-mono text-[13px]">
        {!isRaw ? <ValueTree value={result} /> : sizeBytes <= mostRawBytes && <RawJson value={result} />}
      </div>
    </Panel>
  );
}

function RawJson({ value }: { value: unknown }) {
  const text = useMemo(() => exactText(value), [value]);
  return <pre className="whitespace-pre-wrap wrap-anywhere">{text}</pre>;
}

function LargeRecord({ run, sizeBytes }: { run: Run; sizeBytes: number }) {
  const say = useSay();
  const size = bytesText(sizeBytes);
  return (
    <p className="mb-3 flex flex-wrap items-center gap-2 text-muted">
      {say(
        `The record of this run is ${size}, too large to show as raw JSON.`,
        `本次运行的记录有 ${size}，不适合以原文显示。`,
      )}
      <a
        href={`/api/runs/${run.run_id}`}
        download={`${run.run_id}.json`}
        className={buttonClasses('plain', 'small')}
      >
        <Download size={13} aria-hidden />
        {say('Download JSON', '下载 JSON')}
      </a>
    </p>
  );
}
