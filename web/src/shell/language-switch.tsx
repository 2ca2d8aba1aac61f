import { Languages } from 'lucide-react';

import { useLanguage } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';

/** Switches to the other language. The button shows the name of that language in the language itself. */
export function LanguageSwitch() {
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
