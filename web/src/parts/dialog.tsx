import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

import { useSay } from '../language/language.tsx';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { useReturnFocus } from './use-return-focus.ts';

interface DialogProps {
  readonly isOpen: boolean;
  /** Without it, the user cannot close the dialog. */
  readonly onClose?: () => void;
  readonly title: string;
  readonly description?: string;
  readonly isWide?: boolean;
  readonly children?: ReactNode;
  /** The buttons at the bottom. */
  readonly actions?: ReactNode;
}

/** A modal dialog. */
export function Dialog({ isOpen, onClose, title, description, isWide, children, actions }: DialogProps) {
  const say = useSay();
  const returnFocus = useReturnFocus(isOpen);
  return (
    <Primitive.Root open={isOpen} onOpenChange={(open) => !open && onClose?.()}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 animate-[appear_120ms] bg-black/45" />
        <Primitive.Content
          {...(description === undefined && { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusFirst}
          onCloseAutoFocus={returnFocus}
          className={classes(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[85dvh] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 animate-[appear_120ms] flex-col rounded-xl border border-line bg-raised shadow-xl outline-none',
            isWide === true ? 'max-w-3xl' : 'max-w-md',
          )}
        >
          <div className="flex items-start gap-4 p-5 pb-3">
            <div className="min-w-0 grow">
              <Primitive.Title className="text-base font-semibold break-words">{title}</Primitive.Title>
              {description !== undefined && (
                <Primitive.Description className="mt-1 text-muted">{description}</Primitive.Description>
              )}
            </div>
            {onClose && (
              <Primitive.Close asChild>
                <IconButton label={say('Close', '关闭')} className="-mt-1.5 -mr-1.5 size-8">
                  <X size={17} aria-hidden />
                </IconButton>
              </Primitive.Close>
            )}
          </div>
          {children && <div className="min-h-0 grow overflow-y-auto px-5 pb-4">{children}</div>}
          {actions && <div className="flex justify-end gap-2 border-t border-line p-4">{actions}</div>}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** Focuses the first text field or the harmless button, or else the dialog itself, where Enter does nothing. */
function focusFirst(event: Event): void {
  const dialog = event.currentTarget;
  if (!(dialog instanceof HTMLElement)) return;
  event.preventDefault();
  const field = dialog.querySelector<HTMLElement>('[data-harmless], input:not([type="radio"]), textarea');
  field?.focus();
  if (!dialog.contains(document.activeElement)) dialog.focus();
}

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly description: string;
  /** The label of the button that confirms. */
  readonly action: string;
  /** The label of the button that closes the dialog; “Cancel” by default. */
  readonly dismiss?: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm({ isOpen, title, description, action, dismiss, onConfirm, onClose }: ConfirmProps) {
  const say = useSay();
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      description={description}
      actions={
        <>
          <Button data-harmless onClick={onClose}>
            {dismiss ?? say('Cancel', '取消')}
          </Button>
          <Button
            look="danger"
            onClick={() => {
              onConfirm();
              onClose();
            }}
          >
            {action}
          </Button>
        </>
      }
    />
  );
}
