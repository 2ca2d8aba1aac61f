import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';

import { callService } from '../api/call-service.ts';
import type { Operation } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Loading } from '../parts/loading.tsx';
import { OperationView } from './operation-view.tsx';
import { useOperations } from './operations.tsx';

interface OperationDialogProps {
  readonly id: string | null;
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Actions after success. */
  readonly next?: (operation: Operation) => ReactNode;
  /** Returns to the form after a failure. */
  readonly onAgain?: (operation: Operation) => void;
}

/** Shows an operation until it ends. If the dialog is closed earlier, the operation continues and a toast reports its end. */
export function OperationDialog(props: OperationDialogProps) {
  const { id, title, isOpen, onClose, next, onAgain } = props;
  const say = useSay();
  const { all, isAsking, watch } = useOperations();
  const operation = all.find(({ operation_id }) => operation_id === id);
  useEffect(() => (isOpen && id !== null ? watch(id) : undefined), [isOpen, id, watch]);
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
          {operation !== undefined && state === 'running' && (
            <Button disabled={cancel.isPending} onClick={() => cancel.mutate(operation.operation_id)}>
              {say('Stop', '停止')}
            </Button>
          )}
          {operation !== undefined && hasFailed && onAgain && (
            <Button onClick={() => onAgain(operation)}>{say('Edit and try again', '修改后重试')}</Button>
          )}
          <Button onClick={onClose}>
            {state === 'running' ? say('Continue in background', '在后台继续') : say('Close', '关闭')}
          </Button>
          {operation !== undefined && state === 'done' && next?.(operation)}
        </>
      }
    >
      {operation !== undefined ? (
        <OperationView operation={operation} />
      ) : isAsking ? (
        <Loading />
      ) : (
        <p role="alert">
          {say(
            'Hob was restarted and does not know how this operation ended. Check the list of scripts.',
            'Hob 已重新启动，无法得知此操作的结果。',
          )}
        </p>
      )}
    </Dialog>
  );
}
