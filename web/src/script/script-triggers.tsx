import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

import { triggersQuery } from '../api/queries.ts';
import type { ScriptDetail } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { CodeText } from '../parts/code.tsx';
import { Panel } from '../parts/panel.tsx';
import { SuggestionRow, TriggerBadge } from '../triggers/trigger-parts.tsx';
import { shownState, triggerPath, triggerWords } from '../triggers/words-of-triggers.ts';

/** The triggers of a script, and the menu entry and shortcut that its manifest offers. */
export function ScriptTriggers({ script }: { script: ScriptDetail }) {
  const say = useSay();
  // Without the right to see triggers, the rest of the page works.
  const { data } = useQuery(triggersQuery);
  const { id, slug, context_menu, shortcut } = script;
  const own = data?.items.filter(({ script_id }) => script_id === id) ?? [];
  const offered = data?.suggestions.filter((one) => one.script_id === id && one.trigger_id === null) ?? [];
  return (
    <Panel
      title={say('Triggers', '触发器')}
      aside={
        data !== undefined && (
          <Link
            href={`/triggers/new/schedule?script=${slug}`}
            aria-label={say('New trigger', '新建触发器')}
            title={say('New trigger', '新建触发器')}
            className={classes(buttonClasses('quiet'), 'w-9 px-0!')}
          >
            <Plus size={16} aria-hidden />
          </Link>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {own.length > 0 && (
          <ul className="flex flex-col gap-2">
            {own.map((trigger) => (
              <li key={`${trigger.id} ${trigger.line}`}>
                <p className="flex items-baseline gap-2">
                  <Link
                    href={triggerPath(trigger.id)}
                    className="min-w-0 truncate font-medium hover:underline"
                  >
                    {trigger.id}
                  </Link>
                  {shownState(trigger) !== 'on' && <TriggerBadge trigger={trigger} />}
                </p>
                <p className="text-[13px] text-muted wrap-anywhere">{triggerWords(trigger, say)}</p>
              </li>
            ))}
          </ul>
        )}
        {offered.length > 0 && (
          <ul>
            {offered.map((one) => (
              <SuggestionRow key={`${one.kind} ${one.name}`} suggestion={one} />
            ))}
          </ul>
        )}
        {own.length + offered.length === 0 && (
          <p className="text-[13px] text-muted">
            {say('None: it runs only when you or a program start it.', '无：仅在手动或由程序调用时运行。')}
          </p>
        )}
        {context_menu !== null && (
          <Offer name={say('Menu entry', '右键菜单')} filters={context_menu.filters}>
            {context_menu.targets.map((target) => targetName(target, say)).join(say(', ', '、'))}
          </Offer>
        )}
        {shortcut !== null && (
          <Offer name={say('Shortcut', '快捷键')} filters={shortcut.filters}>
            {shortcut.asks_for === 'files'
              ? say('asks for files', '先选择文件')
              : shortcut.asks_for === 'folders'
                ? say('asks for folders', '先选择文件夹')
                : say('starts at once', '直接运行')}
          </Offer>
        )}
        {(context_menu !== null || shortcut !== null) && (
          <p className="text-[13px] text-muted">
            <CodeText
              text={say(
                `To set them up on the desktop: \`hob menus install ${slug}\``,
                `在桌面中启用：\`hob menus install ${slug}\``,
              )}
            />
          </p>
        )}
      </div>
    </Panel>
  );
}

interface OfferProps {
  readonly name: string;
  readonly filters: readonly string[];
  readonly children: ReactNode;
}

/** A menu entry or a shortcut that the manifest offers. */
function Offer({ name, filters, children }: OfferProps) {
  return (
    <p className="text-[13px] wrap-anywhere">
      <span className="text-muted">{name}: </span>
      {children}
      {filters.length > 0 && ` (${filters.join(' ')})`}
    </p>
  );
}

function targetName(target: 'files' | 'directory' | 'background', say: Say): string {
  const names = {
    files: say('files', '文件'),
    directory: say('folders', '文件夹'),
    background: say('empty space of a folder', '文件夹空白处'),
  };
  return names[target];
}
