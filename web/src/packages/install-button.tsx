import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ChevronRight, Download, FolderOpen } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { Link } from 'wouter';

import { hob } from '../api/hob.ts';
import { operationsQuery } from '../api/queries.ts';
import type { OperationStarted } from '../api/wire.ts';
import { FileBrowser } from '../files/file-browser.tsx';
import { startAt, wantedBy } from '../files/pick.ts';
import { useSay } from '../language/language.tsx';
import { Button, buttonClasses, IconButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, FirstField } from '../parts/field.tsx';
import { OperationDialog } from './operation-dialog.tsx';
import { isRunning, useOperations } from './operations.tsx';
import { emptyOrigin, originField, originOf, type PackageOrigin, requestOf } from './package-origin.ts';

type Shown = 'nothing' | 'question' | 'operation';

/** Opens the dialog that installs a script. */
export function InstallButton() {
  const say = useSay();
  const client = useQueryClient();
  const { all } = useOperations();
  const [shown, setShown] = useState<Shown>('nothing');
  const [origin, setOrigin] = useState<PackageOrigin>(emptyOrigin);
  const [operationId, setOperationId] = useState<string | null>(null);
  const show = (id: string) => {
    setOperationId(id);
    setShown('operation');
  };
  const begin = useMutation({
    mutationFn: (asked: PackageOrigin) =>
      hob.request<OperationStarted>('POST', '/api/packages/install', { body: requestOf(asked) }),
    onSuccess: ({ operation_id }) => {
      void client.invalidateQueries(operationsQuery);
      show(operation_id);
    },
  });
  const underway = all.find((each) => each.kind === 'install' && isRunning(each));
  return (
    <>
      <Button
        onClick={() => {
          // Show the installation in progress instead of starting a second one.
          if (underway !== undefined) return show(underway.operation_id);
          begin.reset();
          setOrigin(emptyOrigin);
          setShown('question');
        }}
      >
        <Download size={16} aria-hidden />
        {underway !== undefined ? say('Installing…', '正在安装……') : say('Install', '安装')}
      </Button>
      <InstallDialog
        isOpen={shown === 'question'}
        origin={origin}
        error={begin.error}
        isPending={begin.isPending}
        onChange={setOrigin}
        onClose={() => setShown('nothing')}
        onInstall={() => begin.mutate(origin)}
      />
      <OperationDialog
        id={operationId}
        title={say('Install script', '安装脚本')}
        isOpen={shown === 'operation'}
        onClose={() => setShown('nothing')}
        onAgain={({ source }) => {
          // The form is empty if the installation began before this page was opened.
          if (origin === emptyOrigin && source !== null) setOrigin(originOf(source));
          setShown('question');
        }}
        next={({ script_id }) =>
          script_id !== null && (
            <Link href={`/scripts/${script_id}`} className={buttonClasses('primary')}>
              {say('Open script', '打开脚本')}
            </Link>
          )
        }
      />
    </>
  );
}

interface InstallDialogProps {
  readonly isOpen: boolean;
  readonly origin: PackageOrigin;
  /** The error of the request that starts the installation. */
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onChange: (origin: PackageOrigin) => void;
  readonly onClose: () => void;
  readonly onInstall: () => void;
}

const packages = wantedBy('both', ['.zip', '.tar.gz', '.tgz'], true);

/** Asks for the source of a script. */
function InstallDialog(props: InstallDialogProps) {
  const { isOpen, origin, error, isPending, onChange, onClose, onInstall } = props;
  const say = useSay();
  const form = useId();
  const [isBrowsing, setBrowsing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (origin.source.trim() !== '' && !isPending) onInstall();
  };
  const textOf = (name: keyof PackageOrigin) => originField(origin, name, onChange);
  return (
    <>
      <Dialog
        isOpen={isOpen}
        onClose={onClose}
        title={say('Install script', '安装脚本')}
        description={say(
          'A script can do everything that you can do on this machine. Install only scripts that you trust.',
          '脚本拥有与你相同的权限，请只安装你信任的脚本。',
        )}
        actions={
          <>
            <Button onClick={onClose}>{say('Cancel', '取消')}</Button>
            <Button
              type="submit"
              form={form}
              look="primary"
              disabled={isPending || origin.source.trim() === ''}
            >
              {say('Install', '安装')}
            </Button>
          </>
        }
      >
        <form id={form} onSubmit={submit} className="flex flex-col gap-4 pt-1">
          <Field
            label={say('Source', '来源')}
            description={say(
              'A folder, .zip or .tar.gz file on this machine, or the URL of a git repository',
              '本机的文件夹、.zip 或 .tar.gz 文件，或 git 仓库地址',
            )}
          >
            {({ id, describedBy }) => (
              <div className="flex gap-1">
                <FirstField id={id} aria-describedby={describedBy} {...textOf('source')} />
                <IconButton label={say('Browse', '浏览')} look="plain" onClick={() => setBrowsing(true)}>
                  <FolderOpen size={16} aria-hidden />
                </IconButton>
              </div>
            )}
          </Field>
          <details className="group">
            <summary className="flex items-center gap-1 text-muted select-none hover:text-ink [&::-webkit-details-marker]:hidden">
              <ChevronRight size={15} aria-hidden className="transition-transform group-open:rotate-90" />
              {say('Version and subfolder', '指定版本，或来源中的某个脚本')}
            </summary>
            <div className="flex flex-col gap-4 pt-3">
              <Field
                label={say('Branch, tag or commit', '分支、标签或提交')}
                description={say('For git repositories only', '仅用于 git 仓库')}
              >
                {({ id, describedBy }) => <input id={id} aria-describedby={describedBy} {...textOf('ref')} />}
              </Field>
              <Field
                label={say('Subfolder', '其中的文件夹')}
                description={say('Only if the source contains several scripts', '来源中有多个脚本时填写')}
              >
                {({ id, describedBy }) => (
                  <input id={id} aria-describedby={describedBy} {...textOf('path')} />
                )}
              </Field>
            </div>
          </details>
          {error !== null && <Failure error={error} />}
        </form>
      </Dialog>
      <FileBrowser
        isOpen={isBrowsing}
        wanted={packages}
        start={startAt(origin.source, packages)}
        onClose={() => setBrowsing(false)}
        onPick={([source = '']) => onChange({ ...origin, source })}
      />
    </>
  );
}
