import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useLive } from '../api/live-events.tsx';
import { serviceNow } from '../api/service-clock.ts';
import type { EventData } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { buttonClasses, IconButton } from './button.tsx';
import { classes } from './classes.ts';

export type ToastKind = keyof typeof kindLooks;

export interface ToastText {
  readonly kind: ToastKind;
  readonly title: string;
  readonly message?: string | null;
  /** 0 keeps the toast until it is closed. */
  readonly durationMs?: number;
  /** A link to details. */
  readonly link?: { readonly href: string; readonly name: string } | null;
}

type Show = (toast: ToastText) => void;
const ToastContext = createContext<Show | null>(null);

const usualMs = 5000;
const mostShown = 3;
/** Limits the toasts in memory. The notifications page lists all notifications. */
const mostKept = 100;
/** Browsers treat longer timeouts as zero. */
const longestMs = 2 ** 31 - 1;

/** Short messages in the corner: notifications of scripts, and results of actions. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const say = useSay();
  const [kept, setKept] = useState<readonly (ToastText & { readonly key: number })[]>([]);
  const count = useRef(0);
  const show = useCallback((toast: ToastText) => {
    count.current += 1;
    const key = count.current;
    setKept((others) => [...others, { ...toast, key }].slice(-mostKept));
  }, []);
  const close = (key: number) => setKept((all) => all.filter((each) => each.key !== key));
  const folded = Math.max(0, kept.length - mostShown);
  return (
    <ToastContext value={show}>
      <Toast.Provider label={say('Notification', '通知')}>
        {children}
        {kept.map(({ key, kind, title, message, link, durationMs = usualMs }, index) => {
          const { icon: Icon, ink } = kindLooks[kind];
          return (
            <Toast.Root
              key={key}
              duration={durationMs === 0 || durationMs > longestMs ? Number.POSITIVE_INFINITY : durationMs}
              onOpenChange={(isOpen) => !isOpen && close(key)}
              // Hidden older toasts reappear when there is room, unless their time is over.
              className={classes(
                'flex shrink-0 animate-[arrive_180ms_ease-out] items-start gap-3 rounded-xl border border-line bg-raised p-3 pl-4 shadow-lg',
                index < folded && 'hidden',
              )}
            >
              <Icon size={18} aria-hidden className={classes('mt-0.5 shrink-0', ink)} />
              <div className="min-w-0 grow">
                <Toast.Title className="font-medium break-words">{title}</Toast.Title>
                {message && (
                  <Toast.Description
                    ref={makeScrollable}
                    className="max-h-[min(10rem,15dvh)] overflow-y-auto break-words whitespace-pre-wrap text-muted"
                  >
                    {message}
                  </Toast.Description>
                )}
                {link && (
                  <Toast.Action altText={link.name} asChild>
                    <Link href={link.href} className="mt-1 inline-block text-accent hover:underline">
                      {link.name}
                    </Link>
                  </Toast.Action>
                )}
              </div>
              <Toast.Close asChild>
                <IconButton label={say('Close', '关闭')} className="-mt-1 -mr-1 size-7">
                  <X size={15} aria-hidden />
                </IconButton>
              </Toast.Close>
            </Toast.Root>
          );
        })}
        <Toast.Viewport className="fixed right-0 bottom-0 z-50 flex max-h-[calc(100dvh-4rem)] w-full max-w-sm flex-col gap-2 overflow-y-auto p-4 outline-none max-md:bottom-16">
          {folded > 0 && (
            <li className="order-first flex shrink-0 justify-center">
              <Link
                href="/notifications"
                onClick={() => setKept((all) => all.slice(-mostShown))}
                className={classes(buttonClasses('plain', 'small'), 'shadow-lg')}
              >
                {say(`${folded} more`, `还有 ${folded} 条`)}
              </Link>
            </li>
          )}
        </Toast.Viewport>
      </Toast.Provider>
    </ToastContext>
  );
}

/** Makes a long message focusable, so that the keyboard can scroll it. */
function makeScrollable(message: HTMLElement | null): void {
  if (message !== null && message.scrollHeight > message.clientHeight) message.tabIndex = 0;
}

export function useToast(): Show {
  const show = useContext(ToastContext);
  if (show === null) throw new Error('there is no ToastProvider');
  return show;
}

/** Icon and colour for each kind of message. */
export const kindLooks = {
  success: { icon: CircleCheck, ink: 'text-good' },
  error: { icon: CircleAlert, ink: 'text-bad' },
  info: { icon: Info, ink: 'text-busy' },
} as const;

/** Minimum time for which a notification is new, because the event may arrive late. */
const leastMs = 30_000;

/** Shows new notifications as toasts on every page. */
export function NotificationToasts() {
  const say = useSay();
  const toast = useToast();
  const { subscribe } = useLive();
  useEffect(
    () =>
      subscribe(({ type, data: news }) => {
        // The frame of the console shows an agent that waits.
        if (type !== 'notification' || news.page !== undefined || !isStillNews(news, serviceNow())) return;
        toast({
          kind: news.notify_type,
          title: news.script_name ?? 'Hob',
          message: news.message,
          durationMs: news.duration,
          link:
            news.run_id === null ? null : { href: `/runs/${news.run_id}`, name: say('View run', '查看运行') },
        });
      }),
    [subscribe, toast, say],
  );
  return null;
}

/**
 * A hidden page receives all missed events when it becomes visible. Notifications whose time is over are not shown then; the list has
 * them.
 */
export function isStillNews(
  { at, duration }: Pick<EventData<'notification'>, 'at' | 'duration'>,
  nowMs: number,
): boolean {
  return duration === 0 || nowMs - Date.parse(at) < Math.max(duration, leastMs);
}
