import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';

import { callService } from '../api/call-service.ts';
import type { OperationStarted } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button, buttonClasses } from '../parts/button.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { OperationDialog } from './operation-dialog.tsx';
import { nowhere, type PackageOrigin, requestOf } from './package-origin.ts';
import { useOperation } from './use-operation.ts';
import { useToldEnd } from './use-told-end.ts';

type Shown = 'nothing' | 'question' | 'operation';

/** Installs a script from somewhere else. */
export function InstallButton() {
  const say = useSay();
  const [shown, setShown] = useState<Shown>('nothing');
  const [origin, setOrigin] = useState<PackageOrigin>(nowhere);
  const begin = useMutation({
    mutationFn: (asked: PackageOrigin) =>
      callService<OperationStarted>('/api/packages/install', { method: 'POST', body: requestOf(asked) }),
    onSuccess: () => setShown('operation'),
  });
  const watched = useOperation(begin.data?.operation_id ?? null);
  const { operation } = watched;
  useToldEnd(operation, shown === 'operation');
  const isRunning = operation?.state === 'running';
  const installed = operation?.script_id ?? null;
  return (
    <>
      <Button
        onClick={() => {
          // What is under way is looked at again, and not asked for twice.
          if (isRunning) return setShown('operation');
          begin.reset();
          setOrigin(nowhere);
          setShown('question');
        }}
      >
        <Download size={16} aria-hidden />
        {isRunning ? say('Installing …', '正在安装……') : say('Install', '安装')}
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
        {...watched}
        title={say('Install a script', '安装脚本')}
        isOpen={shown === 'operation'}
        onClose={() => setShown('nothing')}
        onAgain={() => setShown('question')}
        next={
          installed !== null && (
            <Link href={`/scripts/${installed}`} className={buttonClasses('primary')}>
              {say('Go to it', '打开脚本')}
            </Link>
          )
        }
      />
    </>
  );
}
