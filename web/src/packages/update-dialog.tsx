import { ChevronRight } from 'lucide-react';
import { type FormEvent, useId } from 'react';

import type { InstalledPackage } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { inputClasses } from '../parts/input.ts';
import { Ago } from '../parts/time.tsx';
import type { PackageOrigin } from './package-origin.ts';

interface UpdateDialogProps {
  readonly isOpen: boolean;
  readonly item: InstalledPackage;
  readonly origin: PackageOrigin;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onChange: (origin: PackageOrigin) => void;
  readonly onClose: () => void;
  readonly onUpdate: () => void;
}

/** Shows the source of the new version, and lets the user change it. */
export function UpdateDialog(props: UpdateDialogProps) {
  const { isOpen, item, origin, error, isPending, onChange, onClose, onUpdate } = props;
  const say = useSay();
  const form = useId();
  const { source, installed_at } = item;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) onUpdate();
  };
  const textOf = (name: 'source' | 'ref') => ({
    value: origin[name],
    placeholder: (name === 'ref' ? source?.ref : source?.location) ?? '',
    spellCheck: false,
    autoComplete: 'off',
    onChange: ({ target }: { target: HTMLInputElement }) => onChange({ ...origin, [name]: target.value }),
    className: inputClasses,
  });
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={say(`Update ${item.name}`, `更新 ${item.name}`)}
      description={say(
        'The current version stays in place until the new one works. You can roll back to it later.',
        '新版本可用之前，当前版本保持不变，之后也可回退。',
      )}
      actions={
        <>
          <Button onClick={onClose}>{say('Cancel', '取消')}</Button>
          <Button type="submit" form={form} look="primary" disabled={isPending}>
            {say('Update', '更新')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4 pt-1">
        {source !== null && (
          <div className="rounded-lg bg-hover px-3 py-2">
            <p className="font-mono text-[13px] break-all">
              {source.location}
              {source.ref !== null && ` · ${source.ref}`}
              {source.path !== null && ` · ${source.path}`}
            </p>
            {installed_at !== null && (
              <p className="text-xs text-muted">
                {say('Installed ', '安装于 ')}
                <Ago time={installed_at} />
              </p>
            )}
          </div>
        )}
        {source?.kind === 'git' && (
          <Field label={say('Branch, tag or commit', '分支、标签或提交')}>
            {({ id, describedBy }) => <input id={id} aria-describedby={describedBy} {...textOf('ref')} />}
          </Field>
        )}
        <details className="group" open={source === null}>
          <summary className="flex items-center gap-1 text-muted select-none hover:text-ink [&::-webkit-details-marker]:hidden">
            <ChevronRight size={15} aria-hidden className="transition-transform group-open:rotate-90" />
            {say('Use another source from now on', '今后改从其他来源更新')}
          </summary>
          <div className="pt-3">
            <Field label={say('Source', '来源')}>
              {({ id, describedBy }) => (
                <input id={id} aria-describedby={describedBy} {...textOf('source')} />
              )}
            </Field>
          </div>
        </details>
        {error !== null && <Failure error={error} />}
      </form>
    </Dialog>
  );
}
