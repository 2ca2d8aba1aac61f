import { useQuery } from '@tanstack/react-query';
import { Star, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

import { HobError, isRefused } from '../api/hob.ts';
import { latestRunsQuery, scriptQuery, scriptsQuery } from '../api/queries.ts';
import type { Script, ScriptDetail } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { PackageMenu } from '../packages/package-menu.tsx';
import { buttonClasses, IconButton } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure, Pending } from '../parts/failure.tsx';
import { durationText } from '../parts/format.ts';
import { PageTitle, useTabTitle } from '../parts/page-title.tsx';
import { Panel } from '../parts/panel.tsx';
import { LatestRuns } from '../runs/latest-runs.tsx';
import { useFavourites } from '../scripts/favourites.ts';
import { isProblemOf, ProblemList } from '../scripts/problem-list.tsx';
import { ScriptIcon } from '../scripts/script-icon.tsx';
import { FilledForm } from './filled-form.tsx';
import { ScriptTriggers } from './script-triggers.tsx';

/** The page of a script: details, the form that runs it, and recent runs. */
export function ScriptPage({ id }: { id: string }) {
  const { data: script, error, refetch } = useQuery(scriptQuery(id));
  const { data: all } = useQuery(scriptsQuery);
  useTabTitle(script?.name ?? id);
  // Errors come first, so that cached data of a deleted or broken script is not shown.
  if (isGone(error)) return <ScriptMissing id={id} />;
  if (isUnusable(error)) return <ScriptUnusable id={id} error={error} />;
  if (script === undefined) return <Pending error={error} refetch={refetch} />;

  return (
    <>
      <ScriptHeader script={script} />
      <ProblemList problems={all?.problems.filter((problem) => isProblemOf(script, problem)) ?? []} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <FilledForm script={script} />
        <div className="flex min-w-0 flex-col gap-5">
          <LatestRuns of={{ script: script.id }} all={`script=${script.id}`} />
          <ScriptTriggers script={script} />
          <ScriptFacts script={script} />
        </div>
      </div>
    </>
  );
}

/** The name, description and actions of a script. */
function ScriptHeader({ script }: { script: Script }) {
  const say = useSay();
  const [favourites, toggle] = useFavourites();
  const { id, name, version, desc, language, node } = script;
  const isFavourite = favourites.has(id);
  return (
    <header className="mb-5 flex items-start gap-4">
      <ScriptIcon script={script} />
      <div className="min-w-0 grow">
        <h1 className="text-xl font-semibold tracking-tight break-words">{name}</h1>
        {desc !== null && <p className="max-w-prose break-words text-muted">{desc}</p>}
        <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <span className="rounded bg-hover px-1.5 py-px">{language}</span>
          {version !== null && <span>{version}</span>}
          {node && (
            <span
              className="inline-flex items-center gap-1"
              title={say('Other scripts can call this script', '可以被其他脚本调用')}
            >
              <Workflow size={13} aria-hidden />
              {say('node', '节点')}
            </span>
          )}
        </p>
      </div>
      <div className="flex shrink-0 gap-1">
        <IconButton
          label={say(`Favourite: ${name}`, `收藏：${name}`)}
          aria-pressed={isFavourite}
          onClick={() => toggle(id)}
          className={isFavourite ? 'text-accent!' : ''}
        >
          <Star size={17} aria-hidden fill={isFavourite ? 'currentColor' : 'none'} />
        </IconButton>
        <PackageMenu scriptId={id} />
      </div>
    </header>
  );
}

/** Details from the manifest. */
function ScriptFacts({ script }: { script: ScriptDetail }) {
  const say = useSay();
  const { folder, id, slug, entry, language_version, timeout, concurrency, lock, models, dependencies } =
    script;
  return (
    <Panel title={say('Details', '详情')}>
      <dl className="flex flex-col gap-3 text-[13px]">
        <Fact
          name={say('Folder', '文件夹')}
          copied={folder}
          label={say('Copy folder path', '复制文件夹路径')}
        />
        <Fact name="Slug" copied={slug} label={say('Copy slug', '复制 slug')} />
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

function isGone(error: unknown): boolean {
  return error instanceof HobError && error.status === 404;
}

function isUnusable(error: unknown): boolean {
  return error instanceof HobError && error.status === 409;
}

/** Shown for an unknown script. If it existed earlier, its runs are still listed. */
function ScriptMissing({ id }: { id: string }) {
  const say = useSay();
  const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
  const { data: runs } = useQuery({ ...latestRunsQuery(1, { script: id }), enabled: isId });
  const name = runs?.items[0]?.script_name;
  const title =
    name === undefined
      ? say('Script not found', '没有这个脚本')
      : say(`“${name}” no longer exists`, `“${name}”已不存在`);
  useTabTitle(title);
  return (
    <div className="flex flex-col gap-5">
      <Empty
        isPage
        title={title}
        action={
          <Link href="/" className={buttonClasses()}>
            {say('All scripts', '全部脚本')}
          </Link>
        }
      >
        <code className="font-mono text-xs break-all">{id}</code>
      </Empty>
      {name !== undefined && <LatestRuns of={{ script: id }} all={`script=${id}`} />}
    </div>
  );
}

/** Shown for a script with errors. */
function ScriptUnusable({ id, error }: { id: string; error: unknown }) {
  const say = useSay();
  const { data } = useQuery(scriptsQuery);
  const files = isRefused(error) ? error.files : [];
  const scripts = data?.scripts.filter((script) => script.id === id.toLowerCase()) ?? [];
  // The response has one problem. The list has all problems of the same files and of other scripts with this id.
  const own =
    data?.problems.filter(
      (problem) => files.includes(problem.file) || scripts.some((script) => isProblemOf(script, problem)),
    ) ?? [];
  return (
    <>
      <PageTitle title={say('This script cannot run', '此脚本无法运行')}>
        <Link href="/" className={buttonClasses()}>
          {say('All scripts', '全部脚本')}
        </Link>
        <PackageMenu scriptId={id} />
      </PageTitle>
      {own.length > 0 ? <ProblemList problems={own} /> : <Failure error={error} />}
      <div className="mt-5">
        <LatestRuns of={{ script: id }} all={`script=${id}`} />
      </div>
    </>
  );
}
