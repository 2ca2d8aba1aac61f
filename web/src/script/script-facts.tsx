import type { ReactNode } from 'react';
import { Link } from 'wouter';

import type { ScriptDetail } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Panel } from '../parts/panel.tsx';
import { durationText } from '../parts/time.tsx';

/** Details from the manifest. */
export function ScriptFacts({ script }: { script: ScriptDetail }) {
  const say = useSay();
  const { folder, id, entry, language_version, timeout, concurrency, lock, models, dependencies } = script;
  return (
    <Panel title={say('Details', '详情')}>
      <dl className="flex flex-col gap-3 text-[13px]">
        <Fact
          name={say('Folder', '文件夹')}
          copied={folder}
          label={say('Copy folder path', '复制文件夹路径')}
        />
        <Fact name="ID" copied={id} label={say('Copy ID', '复制 ID')} />
        <Fact name={say('Entry file', '入口')}>
          {entry}
          {language_version !== null && ` (${script.language} ${language_version})`}
        </Fact>
        {timeout !== null && timeout > 0 && (
          <Fact name={say('Timeout', '超时')}>{durationText(timeout * 1000)}</Fact>
        )}
        {concurrency !== null && <Fact name={say('Concurrency', '同时运行数')}>{concurrency}</Fact>}
        {lock !== null && <Fact name={say('Lock', '锁')}>{lock}</Fact>}
        {models.length > 0 && (
          <Fact name={say('Models', '模型')}>
            {models.map(({ repo_id, state }) => (
              <span key={repo_id} className="block">
                <Link href="/models" className="text-accent hover:underline">
                  {repo_id}
                </Link>
                {state !== 'complete' && (
                  <span className="ml-2 text-warn">
                    {state === 'partial' ? say('Incomplete', '不完整') : say('Missing', '缺少')}
                  </span>
                )}
              </span>
            ))}
          </Fact>
        )}
        {dependencies.length > 0 && (
          <Fact name={say('Called scripts', '调用的脚本')}>
            {dependencies.map((each) => (
              <Link key={each.id} href={`/scripts/${each.id}`} className="block text-accent hover:underline">
                {each.name ?? each.id}
              </Link>
            ))}
          </Fact>
        )}
      </dl>
    </Panel>
  );
}

interface FactProps {
  readonly name: string;
  /** A text shown with a copy button. */
  readonly copied?: string;
  readonly label?: string;
  readonly children?: ReactNode;
}

function Fact({ name, copied, label, children }: FactProps) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="flex items-center gap-1 break-all">
        {copied === undefined ? (
          <span className="min-w-0">{children}</span>
        ) : (
          <>
            <span className="min-w-0 truncate font-mono text-xs" title={copied}>
              {copied}
            </span>
            <CopyButton text={copied} {...(label !== undefined && { label })} />
          </>
        )}
      </dd>
    </div>
  );
}
