import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';

import { exactText } from '../api/exact-json.ts';
import type { Run } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button, buttonClasses } from '../parts/button.tsx';
import { bytesText } from '../parts/bytes-text.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Panel } from '../parts/panel.tsx';
import { ValueTree } from './values/value-tree.tsx';

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
