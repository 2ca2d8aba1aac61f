import { ChevronDown, ChevronUp, Download, Search as SearchIcon, WrapText } from 'lucide-react';
import { startTransition, useEffect, useMemo, useRef, useState } from 'react';

import type { Run } from '../../api/wire.ts';
import { useSay } from '../../language/language.tsx';
import { readChoice, writeChoice } from '../../parts/browser-memory.ts';
import { IconButton } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { inputClasses } from '../../parts/field.tsx';
import { bytesText, useCountText } from '../../parts/format.ts';
import { isTyping } from '../../parts/keys.ts';
import { type StreamChoice, shownLines } from './output-lines.ts';
import { OutputView } from './output-view.tsx';
import type { StreamSnapshot } from './run-stream.ts';
import { type Search, useSearch } from './use-search.ts';

interface StreamSwitchProps {
  readonly choice: StreamChoice;
  readonly onChoose: (choice: StreamChoice) => void;
}

const wrapPlace = 'hob.output.wrap';

/** The output of a run as text, updated live. */
export function RunOutput({ run, output }: { run: Run; output: StreamSnapshot }) {
  const say = useSay();
  const [choice, setChoice] = useState<StreamChoice>('all');
  const [isWrapped, setWrapped] = useState(() => readChoice(wrapPlace) !== 'no');
  const [query, setQuery] = useState('');
  const { closed, open, droppedLines, lineCount } = output;
  const blocks = useMemo(() => [...closed, open], [closed, open]);
  const search = useSearch(blocks, query, choice);
  const wrap = () => {
    writeChoice(wrapPlace, isWrapped ? 'no' : null);
    // Thousands of blocks change, so render them with low priority.
    startTransition(() => setWrapped(!isWrapped));
  };
  const copied = () =>
    blocks.flatMap((block) => shownLines(block, choice).map(({ text }) => `${text}\n`)).join('');
  return (
    <section className="overflow-clip rounded-xl border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <h2 className="mr-1 font-semibold">{say('Output', '输出')}</h2>
        <StreamSwitch choice={choice} onChoose={(chosen) => startTransition(() => setChoice(chosen))} />
        <div className="ml-auto flex min-w-0 grow items-center justify-end gap-1">
          <OutputSearchField query={query} onChange={setQuery} search={search} />
          <IconButton
            label={say('Wrap long lines', '自动换行')}
            aria-pressed={isWrapped}
            className={isWrapped ? 'size-7 bg-hover text-ink' : 'size-7'}
            onClick={wrap}
          >
            <WrapText size={15} aria-hidden />
          </IconButton>
          <CopyButton text={copied} label={say('Copy output', '复制输出')} />
        </div>
      </div>
      {lineCount === 0 ? (
        <EmptyOutput run={run} isComplete={output.isComplete} />
      ) : (
        <OutputView blocks={blocks} choice={choice} isWrapped={isWrapped} search={search}>
          {droppedLines > 0 && (
            <p className="mb-2 px-4 font-sans text-muted">
              {say(
                `The first ${droppedLines.toLocaleString('en')} lines are not shown here. Download the files below to see all output that Hob kept.`,
                `前 ${droppedLines.toLocaleString('en')} 行过多，页面中不再显示；可下载下方的完整文件。`,
              )}
            </p>
          )}
        </OutputView>
      )}
      <OutputFooter run={run} output={output} />
    </section>
  );
}

function EmptyOutput({ run, isComplete }: { run: Run; isComplete: boolean }) {
  const say = useSay();
  const text =
    run.state === 'queued'
      ? say('Waiting in the queue.', '正在排队等待。')
      : isComplete
        ? say('No output.', '没有任何输出。')
        : run.state === 'running'
          ? say('No output yet.', '暂无输出。')
          : say('Loading…', '加载中……');
  return <p className="px-4 py-8 text-center text-muted">{text}</p>;
}

function OutputFooter({ run, output }: { run: Run; output: StreamSnapshot }) {
  const say = useSay();
  const { lineCount, isGuessed } = output;
  const lines = lineCount.toLocaleString('en');
  const sizes = { stdout: run.stdout_bytes, stderr: run.stderr_bytes } as const;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-xs text-muted">
      <span>{say(`${lines} ${lineCount === 1 ? 'line' : 'lines'}`, `${lines} 行`)}</span>
      {isGuessed && (
        <span>
          {say(
            'Some output is not UTF-8 and may look wrong. Download the files for the original bytes.',
            '部分内容不是 UTF-8，已尽量解读；原始字节见下载文件。',
          )}
        </span>
      )}
      <span className="ml-auto flex items-center gap-3">
        <Download size={13} aria-hidden className="-mr-1.5" />
        {(['stdout', 'stderr'] as const).map((stream) => (
          <a
            key={stream}
            href={`/api/runs/${run.run_id}/${stream}`}
            download={`${run.run_id}-${stream}.txt`}
            className="underline underline-offset-2 hover:text-ink"
          >
            <span className="sr-only">{say('Download ', '下载 ')}</span>
            {stream}
            {sizes[stream] !== null && ` ${bytesText(sizes[stream])}`}
          </a>
        ))}
      </span>
    </div>
  );
}

/** Chooses the shown streams. stderr has the same mark as its lines. */
function StreamSwitch({ choice, onChoose }: StreamSwitchProps) {
  const say = useSay();
  const names = { all: say('All', '全部'), stdout: 'stdout', stderr: 'stderr' } as const;
  return (
    <fieldset className="flex rounded-lg border border-line-strong p-0.5">
      <legend className="sr-only">{say('Streams', '输出流')}</legend>
      {(['all', 'stdout', 'stderr'] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={choice === each}
          onClick={() => onChoose(each)}
          className={classes(
            'inline-flex h-6 items-center gap-1.5 rounded-md px-2 text-xs',
            choice === each ? 'bg-hover font-medium' : 'text-muted hover:text-ink',
          )}
        >
          {each === 'stderr' && <span aria-hidden className="h-3 w-[3px] bg-bad" />}
          {names[each]}
        </button>
      ))}
    </fieldset>
  );
}

interface OutputSearchFieldProps {
  readonly query: string;
  readonly onChange: (query: string) => void;
  readonly search: Search;
}

/** `/` and Ctrl+F focus it. Ctrl+F in the field opens the browser's own search. */
function OutputSearchField({ query, onChange, search }: OutputSearchFieldProps) {
  const say = useSay();
  const countText = useCountText();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isWithCtrl = event.ctrlKey || event.metaKey;
      const isFind = event.key.toLowerCase() === 'f' && isWithCtrl && !event.shiftKey;
      const isSlash = event.key === '/' && !isWithCtrl && !isTyping(event.target);
      if (!(isFind || isSlash) || document.activeElement === field.current) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      event.preventDefault();
      field.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const { position, count, go } = search;
  const lines = say(count === 1 ? 'line' : 'lines', '行');
  return (
    <div className="flex min-w-0 grow items-center gap-0.5 sm:max-w-80">
      <div className="relative min-w-0 grow">
        <SearchIcon size={14} aria-hidden className="absolute top-1/2 left-2.5 -translate-y-1/2 text-muted" />
        <input
          ref={field}
          type="search"
          value={query}
          aria-label={say('Search the output', '搜索输出')}
          placeholder={say('Search', '搜索')}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onChange('');
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.ctrlKey) return;
            event.preventDefault();
            go(event.shiftKey ? -1 : 1);
          }}
          className={classes(
            inputClasses,
            'h-7 pl-8 text-xs [&::-webkit-search-cancel-button]:hidden',
            query !== '' && 'pr-24',
          )}
        />
        <output className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-xs text-muted">
          {query !== '' &&
            (position > 0 ? `${countText(position)} / ${countText(count)}` : `${countText(count)} ${lines}`)}
        </output>
      </div>
      {query !== '' && (
        <>
          <IconButton
            label={say('Previous (Shift+Enter)', '上一处（Shift+Enter）')}
            className="size-7"
            disabled={count === 0}
            onClick={() => go(-1)}
          >
            <ChevronUp size={15} aria-hidden />
          </IconButton>
          <IconButton
            label={say('Next (Enter)', '下一处（Enter）')}
            className="size-7"
            disabled={count === 0}
            onClick={() => go(1)}
          >
            <ChevronDown size={15} aria-hidden />
          </IconButton>
        </>
      )}
    </div>
  );
}
