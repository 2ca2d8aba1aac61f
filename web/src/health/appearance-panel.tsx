import { Moon, Sun, SunMoon } from 'lucide-react';
import { Link } from 'wouter';

import { tagOf, useLanguage, useSay } from '../language/language.tsx';
import { Panel } from '../parts/panel.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { destinations } from '../shell/destinations.ts';
import { useTheme } from '../theme/theme.ts';

/** The language and theme of the console in this browser. */
export function AppearancePanel() {
  const { language, say, choose } = useLanguage();
  const [theme, chooseTheme] = useTheme();
  return (
    <Panel
      title={say('Console', '控制台')}
      note={say('Saved in this browser only.', '以下两项仅保存在当前浏览器中。')}
    >
      <div className="flex flex-wrap gap-3">
        <Segmented
          label={say('Language', '语言')}
          value={language}
          onChange={choose}
          choices={[
            { value: 'en', name: 'English', lang: 'en' },
            { value: 'zh', name: '中文', lang: tagOf('zh') },
          ]}
        />
        <Segmented
          label={say('Theme', '颜色')}
          value={theme}
          onChange={chooseTheme}
          choices={[
            { value: 'system', name: <Named icon={SunMoon} name={say('System', '跟随系统')} /> },
            { value: 'light', name: <Named icon={Sun} name={say('Light', '浅色')} /> },
            { value: 'dark', name: <Named icon={Moon} name={say('Dark', '深色')} /> },
          ]}
        />
      </div>
    </Panel>
  );
}

function Named({ icon: Icon, name }: { icon: typeof Sun; name: string }) {
  return (
    <>
      <Icon size={15} aria-hidden />
      {name}
    </>
  );
}

/** Links to the pages that are not in the bottom bar of phones. */
export function MorePages() {
  const say = useSay();
  return (
    <nav aria-label={say('More pages', '更多页面')} className="flex flex-col gap-2 md:hidden">
      {destinations
        .filter(({ isMain }) => !isMain)
        .map(({ path, icon: Icon, name }) => (
          <Link
            key={path}
            href={path}
            className="flex h-12 items-center gap-3 rounded-xl border border-line bg-surface px-4 font-medium"
          >
            <Icon size={18} aria-hidden className="text-muted" />
            {name(say)}
          </Link>
        ))}
    </nav>
  );
}
