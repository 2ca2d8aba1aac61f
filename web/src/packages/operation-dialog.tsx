import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { callService } from '../api/call-service.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { OperationView } from './operation-view.tsx';
import type { Watched } from './use-operation.ts';

interface OperationDialogProps extends Watched {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What to do next, when it went well. */
  readonly next?: ReactNode;
  /** Leads back to what was asked for, when it did not. */
  readonly onAgain?: () => void;
}

/** Shows an operation until it has ended. Closed before, it goes on. */
export function OperationDialog(props: OperationDialogProps) {
  const { operation, error, title, isOpen, onClose, next, onAgain } = props;
  const say = useSay();
  const cancel = useMutation({
    mutationFn: (id: string) =>
      callService(`/api/packages/operations/${encodeURIComponent(id)}/cancel`, { method: 'POST' }),
  });
  const state = operation?.state;
  const hasFailed = state === 'failed' || state === 'cancelled';
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      actions={
        <>
          {operation !== null && state === 'running' && (
            <Button disabled={cancel.isPending} onClick={() => cancel.mutate(operation.operation_id)}>
              {say('Stop', '停止')}
            </Button>
          )}
          {hasFailed && onAgain && (
            <Button onClick={onAgain}>{say('Change and try again', '修改后重试')}</Button>
          )}
          <Button onClick={onClose}>
            {state === 'running' ? say('Go on in the background', '在后台继续') : say('Close', '关闭')}
          </Button>
          {state === 'done' && next}
        </>
      }
    >
      {operation !== null ? (
        <OperationView operation={operation} />
      ) : error !== null ? (
        <Failure error={error} />
      ) : (
        <Loading />
      )}
    </Dialog>
  );
}
