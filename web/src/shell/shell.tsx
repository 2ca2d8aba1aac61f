import { useQuery } from '@tanstack/react-query';
import { Languages, Moon, Search, ShieldQuestionMark, Sun, SunMoon, Unplug } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';

import { TokenDialog, TokenPage } from '../access/token-form.tsx';
import { useLive } from '../api/live-events.tsx';
import { agentQuestionsQuery } from '../api/queries.ts';
import { useLanguage, useSay } from '../language/language.tsx';
import { OperationsProvider } from '../packages/operations.tsx';
import { openPalette, Palette } from '../palette/palette.tsx';
import { buttonClasses, IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { NotificationToasts } from '../parts/toasts.tsx';
import { focusMain } from '../parts/use-return-focus.ts';
import { type ThemeChoice, useTheme } from '../theme/theme.ts';
import { type Destination, destinations, isAt } from './destinations.ts';

/** The frame around every page. */
export function Shell({ children }: { children: ReactNode }) {
  const say = useSay();
  const { connection, wasConnected } = useLive();
  usePageFocus();
  if (connection === 'locked' && !wasConnected) return <TokenPage />;
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="sr-only rounded-lg bg-raised px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50"
      >
        {say('Skip to content', '跳到正文')}
      </a>
      <SideBar />
      <div className="flex min-w-0 grow flex-col pb-16 md:pb-0">
        <ConnectionBanner />
        <QuestionBanner />
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-6xl grow px-4 py-5 outline-none md:px-8 md:py-7"
        >
          <OperationsProvider>{children}</OperationsProvider>
        </main>
      </div>
      <BottomBar />
      <Palette />
      <NotificationToasts />
      <TokenDialog isOpen={connection === 'locked'} />
    </div>
  );
}

/** Moves the focus to the new page after navigation, because the link that had the focus is gone. */
function usePageFocus(): void {
  const [path] = useLocation();
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    // The page may have set the focus itself.
    if (document.getElementById('main')?.contains(document.activeElement) !== true) focusMain();
  }, [path]);
}

/** Warns while the service is unreachable, because the page may be out of date. */
function ConnectionBanner() {
  const say = useSay();
  const { connection } = useLive();
  return (
    <div role="status" className="sticky top-0 z-40">
      {connection === 'lost' && (
        <p className="flex items-center justify-center gap-2 bg-warn-ground px-4 py-2 text-warn">
          <Unplug size={16} aria-hidden className="shrink-0" />
          {say(
            'Hob is not responding. Reconnecting… Running scripts continue. If Hob was stopped, start it in a terminal: hob serve',
            'Hob 没有响应，正在重新连接；已在运行的脚本会继续。如果服务已停止，请运行：hob serve',
          )}
        </p>
      )}
    </div>
  );
}

/** Says that an agent waits for the user, on every page except the one where the user answers. */
function QuestionBanner() {
  const say = useSay();
  const [path] = useLocation();
  const { data } = useQuery(agentQuestionsQuery);
  const [first, ...others] = path === '/agents' ? [] : (data?.items ?? []);
  return (
    <div role="status" className="sticky top-0 z-30">
      {first && (
        <p className="flex items-center justify-center gap-3 border-b border-line bg-warn-ground px-4 py-2 text-warn">
          <ShieldQuestionMark size={16} aria-hidden className="shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            {say(
              `${first.client} wants to run ${first.script_name}`,
              `${first.client} 请求运行 ${first.script_name}`,
            )}
            {others.length > 0 && say(` (${others.length} more)`, `（另有 ${others.length} 个）`)}
          </span>
          <Link href="/agents" className={buttonClasses('plain', 'small')}>
            {say('Answer', '回答')}
          </Link>
        </p>
      )}
    </div>
  );
}

const next: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: 'light', light: 'dark', dark: 'system' };

const icons = { system: SunMoon, light: Sun, dark: Moon } as const;

/** Navigation on wide screens. */
function SideBar() {
  const say = useSay();
  return (
    <aside className="sticky top-0 hidden h-dvh w-52 shrink-0 flex-col border-r border-line bg-surface px-3 py-4 md:flex">
      <Link href="/" className="mb-5 flex items-center gap-2.5 px-2.5 text-base font-semibold tracking-tight">
        <img src="/icon.svg" alt="" className="size-6" />
        Hob
      </Link>
      <button
        type="button"
        onClick={openPalette}
        className="mb-3 flex h-9 items-center gap-2.5 rounded-lg border border-line px-2.5 text-muted hover:border-line-strong"
      >
        <Search size={16} aria-hidden />
        {say('Go to', '前往')}
        <kbd className="ml-auto font-mono text-xs">Ctrl K</kbd>
      </button>
      <nav aria-label={say('Pages', '页面')} className="flex flex-col gap-0.5">
        {destinations.map((destination) => (
          <SideLink key={destination.path} {...destination} />
        ))}
      </nav>
      <div className="mt-auto flex items-center justify-between">
        <LanguageSwitch />
        <ThemeSwitch />
      </div>
    </aside>
  );
}

function SideLink({ path, icon: Icon, name }: Destination) {
  const say = useSay();
  const [location] = useLocation();
  const isHere = isAt(path, location);
  return (
    <Link
      href={path}
      aria-current={isHere ? 'page' : undefined}
      className={classes(
        'flex h-9 items-center gap-2.5 rounded-lg px-2.5 transition-colors',
        isHere ? 'bg-accent-ground font-medium text-accent' : 'text-muted hover:bg-hover hover:text-ink',
      )}
    >
      <Icon size={17} aria-hidden />
      {name(say)}
    </Link>
  );
}

/** Navigation on phones. */
function BottomBar() {
  const say = useSay();
  const [location] = useLocation();
  return (
    <nav
      aria-label={say('Pages', '页面')}
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {destinations
        .filter(({ isMain }) => isMain)
        .map(({ path, icon: Icon, name }) => {
          const isHere = isAt(path, location);
          return (
            <Link
              key={path}
              href={path}
              aria-current={isHere ? 'page' : undefined}
              className={classes(
                'flex h-14 grow basis-0 flex-col items-center justify-center gap-0.5 text-[11px]',
                isHere ? 'text-accent' : 'text-muted',
              )}
            >
              <Icon size={20} aria-hidden />
              {name(say)}
            </Link>
          );
        })}
    </nav>
  );
}

/** Switches to the other language. The button shows the name of that language in the language itself. */
function LanguageSwitch() {
  const { language, choose } = useLanguage();
  const other = language === 'zh' ? 'en' : 'zh';
  return (
    <button
      type="button"
      lang={other === 'zh' ? 'zh-CN' : 'en'}
      className={buttonClasses('quiet', 'small')}
      onClick={() => choose(other)}
    >
      <Languages size={15} aria-hidden />
      {other === 'zh' ? '中文' : 'English'}
    </button>
  );
}

function ThemeSwitch() {
  const say = useSay();
  const [choice, choose] = useTheme();
  const names = {
    system: say('system', '跟随系统'),
    light: say('light', '浅色'),
    dark: say('dark', '深色'),
  };
  const Icon = icons[choice];
  return (
    <IconButton
      label={say(`Theme: ${names[choice]}`, `颜色：${names[choice]}`)}
      className="size-7"
      onClick={() => choose(next[choice])}
    >
      <Icon size={16} aria-hidden />
    </IconButton>
  );
}
