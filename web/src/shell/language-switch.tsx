import { Languages } from 'lucide-react';

import { useSpeech } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';

/** Says the other language in that language: who reads it is who wants it. */
export function LanguageSwitch() {
  const { language, choose } = useSpeech();
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
