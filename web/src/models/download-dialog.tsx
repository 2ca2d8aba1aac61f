import { type FormEvent, useId, useState } from 'react';

import { type DownloadRequest, modelSources } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, inputClasses } from '../parts/field.tsx';

import { Segmented } from '../parts/segmented.tsx';
import { useModelActions } from './download-actions.ts';
import { sourceNames } from './model-words.ts';

export type Source = NonNullable<DownloadRequest['source']>;

/** Downloads any model, including models that no script requires. */
export function DownloadDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
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
