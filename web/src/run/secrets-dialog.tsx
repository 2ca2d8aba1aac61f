import { type FormEvent, useId, useState } from 'react';

import type { Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { inputClasses } from '../parts/input.ts';
import { secretValue } from './needed-secrets.ts';

interface SecretsDialogProps {
  readonly names: readonly string[];
  readonly script: Script | null;
  readonly onGive: (params: Readonly<Record<string, unknown>>) => void;
  readonly onClose: () => void;
}

/** Asks for the secrets of a run again, because Hob does not keep them. */
export function SecretsDialog({ names, script, onGive, onClose }: SecretsDialogProps) {
  const say = useSay();
  const form = useId();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const paramOf = (name: string) => script?.params.find((param) => param.name === name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onGive(
      Object.fromEntries(
        names.map((name) => [name, secretValue(texts[name] ?? '', paramOf(name)?.type ?? 'str')]),
      ),
    );
    onClose();
  };
  const close = () => {
    setTexts({});
    onClose();
  };
  return (
    <Dialog
      isOpen={names.length > 0}
      onClose={close}
      title={say('Enter the secrets again', '需要重新填写密钥')}
      description={say('Hob does not keep secrets after a run ends.', '运行结束后 Hob 不会保留密钥。')}
      actions={
        <>
          <Button onClick={close}>{say('Cancel', '取消')}</Button>
          <Button type="submit" form={form} look="primary">
            {say('Run again', '重新运行')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4 pt-1">
        {names.map((name) => (
          <Field key={name} label={paramOf(name)?.label ?? name} isRequired>
            {({ id }) => (
              <input
                id={id}
                type="password"
                autoComplete="off"
                required
                value={texts[name] ?? ''}
                onChange={({ target }) => setTexts({ ...texts, [name]: target.value })}
                className={inputClasses}
              />
            )}
          </Field>
        ))}
      </form>
    </Dialog>
  );
}
