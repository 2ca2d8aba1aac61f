import { Moon, Sun, SunMoon } from 'lucide-react';

import { useSay } from '../language/language.tsx';
import { IconButton } from '../parts/button.tsx';
import { type ThemeChoice, useTheme } from '../theme/theme.ts';

const next: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: SunMoon, light: Sun, dark: Moon } as const;

export function ThemeSwitch() {
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
