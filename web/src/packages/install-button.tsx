import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';

import { callService } from '../api/call-service.ts';
import { operationsQuery } from '../api/queries.ts';
import type { OperationStarted } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button, buttonClasses } from '../parts/button.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { OperationDialog } from './operation-dialog.tsx';
import { isRunning, useOperations } from './operations.tsx';
import { emptyOrigin, originOf, type PackageOrigin, requestOf } from './package-origin.ts';

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
      callService<OperationStarted>('/api/packages/install', { method: 'POST', body: requestOf(asked) }),
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
