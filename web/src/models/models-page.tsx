import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useCallback, useDeferredValue, useEffect, useId, useMemo, useState } from 'react';

import { useLive } from '../api/live-events.tsx';
import { downloadsQuery, modelsQuery } from '../api/queries.ts';
import { type Download, type DownloadRequest, type EventData, modelSources } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { readChoice, writeChoice } from '../parts/browser-memory.ts';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure, Pending } from '../parts/failure.tsx';
import { Field, inputClasses } from '../parts/field.tsx';
import { bytesText } from '../parts/format.ts';
import { PageTitle } from '../parts/page-title.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { useModelActions } from './download-actions.ts';
import { findModels, type GatheredModel, gatherModels } from './gather-models.ts';
import { ModelCard } from './model-card.tsx';
import { sourceNames } from './model-words.ts';

const place = 'hob.downloads.put-away';

/** The number of downloads that the service remembers. */
const most = 100;

export function ModelsPage() {
  const say = useSay();
  const { data, error, refetch } = useQuery(modelsQuery);
  const downloads = useDownloads();
  const [query, setQuery] = useState('');
  const [isAsking, setAsking] = useState(false);
  const sought = useDeferredValue(query);
  const [dismissed, onDismiss] = useDismissedDownloads();
  const models = useMemo(
    () =>
      gatherModels(
        data?.items ?? [],
        downloads.filter(({ download_id: id }) => !dismissed.has(id)),
      ),
    [data, downloads, dismissed],
  );
  const found = useMemo(() => findModels(models, sought), [models, sought]);
  const download = (
    <Button look="primary" onClick={() => setAsking(true)}>
      <Plus size={16} aria-hidden />
      {say('Download model', '下载模型')}
    </Button>
  );
  return (
    <>
      <PageTitle title={say('Models', '模型')}>{download}</PageTitle>
      <SearchField
        value={query}
        onChange={setQuery}
        label={say('Search models', '搜索模型')}
        placeholder={say('Search by name, script or folder', '按名称、脚本或文件夹搜索')}
      />
      {data === undefined ? (
        <Pending error={error} refetch={refetch} />
      ) : found.length > 0 ? (
        <>
          <Totals models={found} />
          <ModelList models={found} onDismiss={onDismiss} />
        </>
      ) : sought !== '' ? (
        <Empty
          title={say('No matching models', '没有匹配的模型')}
          action={<Button onClick={() => setQuery('')}>{say('Clear search', '清除搜索')}</Button>}
        />
      ) : (
        <Empty
          title={say('No models yet, and no script requires one', '本机没有模型，也没有脚本需要模型')}
          action={download}
        >
          {say(
            'Models downloaded by Hugging Face or ModelScope tools appear here automatically.',
            '由 Hugging Face 或 ModelScope 下载的模型会自动出现在这里。',
          )}
        </Empty>
      )}
      <DownloadDialog isOpen={isAsking} onClose={() => setAsking(false)} />
    </>
  );
}

/** Enough to fill a screen. */
const shownAtOnce = 40;

interface ModelListProps {
  readonly models: readonly GatheredModel[];
  readonly onDismiss: (downloadId: string) => void;
}

/** Renders the first models immediately and the others with low priority, so that thousands do not block the page. */
function ModelList({ models, onDismiss }: ModelListProps) {
  const drawn = useDeferredValue(models, models.slice(0, shownAtOnce));
  return (
    <ul className="flex flex-col gap-3">
      {drawn.map((model) => (
        <ModelCard key={model.repoId} model={model} onDismiss={onDismiss} />
      ))}
    </ul>
  );
}

/** Totals of the shown models. */
function Totals({ models }: { models: readonly GatheredModel[] }) {
  const say = useSay();
  const bytes = models.flatMap(({ copies }) => copies).reduce((sum, { size_bytes: size }) => sum + size, 0);
  const lacking = models.filter(({ state, neededBy }) => state !== 'complete' && neededBy.length > 0).length;
  const count = models.length;
  return (
    <p className="mb-3 text-[13px] text-muted">
      {say(`${count} ${count === 1 ? 'model' : 'models'}`, `${count} 个模型`)}
      {' · '}
      {say(`${bytesText(bytes)} on disk`, `占用磁盘 ${bytesText(bytes)}`)}
      {lacking > 0 && (
        <span className="text-warn">
          {' · '}
          {say(
            lacking === 1 ? '1 required model is not ready' : `${lacking} required models are not ready`,
            `${lacking} 个有脚本需要但未就绪`,
          )}
        </span>
      )}
    </p>
  );
}

/** Ids of failed downloads that the user has dismissed. The service itself forgets them when it restarts. */
function useDismissedDownloads(): [ReadonlySet<string>, (downloadId: string) => void] {
  const [ids, setIds] = useState<ReadonlySet<string>>(
    () => new Set((readChoice(place) ?? '').split(' ').filter(Boolean)),
  );
  const dismiss = useCallback((id: string) => {
    setIds((before) => {
      const next = [...before, id].slice(-most);
      writeChoice(place, next.join(' '));
      return new Set(next);
    });
  }, []);
  return [ids, dismiss];
}

/**
 * All downloads with live progress. Progress events arrive up to four times a second and are merged into the cached list. The list is
 * refetched only for new downloads and for ends, because the service describes an error in the language of the request.
 */
function useDownloads(): readonly Download[] {
  const client = useQueryClient();
  const { subscribe } = useLive();
  const { data } = useQuery(downloadsQuery);
  useEffect(
    () =>
      subscribe(({ type, data: told }) => {
        if (type !== 'model.progress') return;
        const known = client.getQueryData(downloadsQuery.queryKey);
        const isNew = known?.items.some(({ download_id }) => download_id === told.download_id) !== true;
        if (isNew || told.state !== 'running') void client.invalidateQueries(downloadsQuery);
        // The start and the end of a download change the models on disk.
        if (isNew || told.state !== 'running') void client.invalidateQueries(modelsQuery);
        client.setQueryData(downloadsQuery.queryKey, (list) =>
          list === undefined ? list : { ...list, items: list.items.map((each) => advance(each, told)) },
        );
      }),
    [client, subscribe],
  );
  return data?.items ?? [];
}

function advance(download: Download, told: EventData<'model.progress'>): Download {
  // A late event must not reopen a download that has ended.
  if (download.download_id !== told.download_id || download.state !== 'running') return download;
  const { at: _at, error: _error, ...fields } = told;
  return { ...download, ...fields };
}

type Source = NonNullable<DownloadRequest['source']>;

/** Downloads any model, including models that no script requires. */
function DownloadDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const say = useSay();
  const form = useId();
  const { start } = useModelActions();
  const close = () => {
    start.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={say('Download model', '下载模型')}
      description={say(
        'Hob stores the model in the standard cache of its source, where Python libraries find it too.',
        '模型会放入其来源的标准缓存，Python 也能直接使用。',
      )}
      actions={
        <>
          <Button onClick={close}>{say('Close', '关闭')}</Button>
          <Button type="submit" form={form} look="primary" disabled={start.isPending}>
            {say('Download', '下载')}
          </Button>
        </>
      }
    >
      <DownloadForm id={form} onSubmit={(request) => start.mutate(request, { onSuccess: close })} />
      {start.error && (
        <div className="mt-4">
          <Failure error={start.error} />
        </div>
      )}
    </Dialog>
  );
}

/** Mounted each time the dialog opens, so that it starts empty. */
function DownloadForm({ id, onSubmit }: { id: string; onSubmit: (request: DownloadRequest) => void }) {
  const say = useSay();
  const [source, setSource] = useState<Source>('huggingface');
  const [repo, setRepo] = useState('');
  const [files, setFiles] = useState('');
  const [revision, setRevision] = useState('');
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The service checks the rest of the name.
    const isNamed = /^[^/\s]+\/[^/\s]+$/.test(parseRepo(repo).repoId);
    setWrong(!isNamed);
    if (!isNamed) return;
    const patterns = parsePatterns(files);
    onSubmit({
      repo_id: parseRepo(repo).repoId,
      source,
      files: patterns.length === 0 ? null : patterns,
      revision: revision.trim() || null,
    });
  };
  return (
    <form id={id} onSubmit={submit} className="flex flex-col gap-4">
      <Segmented
        label={say('Source', '来源')}
        value={source}
        onChange={setSource}
        choices={modelSources.map((value) => ({ value, name: sourceNames[value] }))}
      />
      <Field
        label={say('Model', '模型')}
        description={say('owner/name, or the URL of the model page', 'owner/name，或模型页面的网址')}
        error={isWrong ? say('Enter owner/name, such as openai/whisper-tiny', '格式应为 owner/name') : null}
        isRequired
      >
        {({ id: field, describedBy, isInvalid }) => (
          <input
            id={field}
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            required
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            placeholder="openai/whisper-tiny"
            value={repo}
            onChange={({ target }) => {
              setRepo(target.value);
              setWrong(false);
              setSource(parseRepo(target.value).source ?? source);
            }}
            className={inputClasses}
          />
        )}
      </Field>
      <Field
        label={say('Files', '文件')}
        description={say(
          'Patterns such as *.onnx, one per line. Leave empty for the files that scripts declare, or else all files.',
          '通配符，例如 *.onnx，每行一个。留空则下载脚本声明的文件，没有声明时下载全部。',
        )}
      >
        {({ id: field, describedBy }) => (
          <textarea
            id={field}
            aria-describedby={describedBy}
            rows={3}
            spellCheck={false}
            value={files}
            onChange={({ target }) => setFiles(target.value)}
            className={classes(inputClasses, 'h-auto py-2 font-mono text-[13px]')}
          />
        )}
      </Field>
      <Field
        label={say('Revision', '版本')}
        description={say(
          'A branch, tag or commit. Leave empty for the default of the source.',
          '分支、标签或提交。留空则使用来源的默认版本。',
        )}
      >
        {({ id: field, describedBy }) => (
          <input
            id={field}
            aria-describedby={describedBy}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={revision}
            onChange={({ target }) => setRevision(target.value)}
            className={inputClasses}
          />
        )}
      </Field>
    </form>
  );
}

const hosts: readonly (readonly [RegExp, Source])[] = [
  [/(?:^|\.)huggingface\.co$|^hf-mirror\.com$/, 'huggingface'],
  [/(?:^|\.)modelscope\.(?:cn|ai)$/, 'modelscope'],
];

/** Parses a repo id or the URL of a model page, which also names the source. */
export function parseRepo(text: string): { repoId: string; source: Source | null } {
  const typed = text.trim();
  if (!/^https?:\/\//.test(typed) || !URL.canParse(typed)) return { repoId: typed, source: null };
  const { hostname, pathname } = new URL(typed);
  const source = hosts.find(([host]) => host.test(hostname))?.[1] ?? null;
  const [owner, name] = pathname
    .replace(/^\/models\//, '/')
    .split('/')
    .filter(Boolean);
  return owner === undefined || name === undefined
    ? { repoId: typed, source }
    : { repoId: `${owner}/${name}`, source };
}

/** Splits patterns at line breaks and commas. */
export function parsePatterns(text: string): string[] {
  return text
    .split(/[\n,，]/)
    .map((pattern) => pattern.trim())
    .filter(Boolean);
}
