import { Languages, Moon, Search, Sun, SunMoon } from 'lucide-react';
import { Link, useLocation } from 'wouter';

import { useLanguage, useSay } from '../language/language.tsx';
import { openPalette } from '../palette/palette.tsx';
import { buttonClasses, IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { type ThemeChoice, useTheme } from '../theme/theme.ts';
import { type Destination, destinations, isAt } from './destinations.ts';

const next: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: 'light', light: 'dark', dark: 'system' };

const icons = { system: SunMoon, light: Sun, dark: Moon } as const;

/** Navigation on wide screens. */
export function SideBar() {
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
export function BottomBar() {
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
