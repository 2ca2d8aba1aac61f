import { type Say, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import type { NotShownCounts, Wanted } from './pick.ts';

interface NothingShownProps {
  /** How many entries the folder has. */
  readonly count: number;
  readonly notShown: NotShownCounts;
  readonly kinds: Wanted['kinds'];
  readonly onShow: () => void;
}

/** Explains why a folder shows no entries, and offers to show the hidden ones. */
export function NothingShown({ count, notShown, kinds, onShow }: NothingShownProps) {
  const say = useSay();
  if (count === 0) return say('This folder is empty', '此文件夹为空');
  if (notShown.hidden + notShown.others === 0) return say('No matching items', '没有名称匹配的项');
  const canShow = kinds !== 'folders' || notShown.hidden > 0;
  return (
    <>
      <span>
        {say('Not shown: ', '未显示：')}
        {partsOf(notShown, kinds, say).join(say(', ', '、'))}
      </span>
      {canShow && (
        <Button
          size="small"
          // Keep the focus in the filter field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={onShow}
          className="pointer-events-auto"
        >
          {say('Show items', '显示')}
        </Button>
      )}
    </>
  );
}

function partsOf({ hidden, others }: NotShownCounts, kinds: Wanted['kinds'], say: Say): string[] {
  const parts: string[] = [];
  if (hidden > 0)
    parts.push(say(hidden === 1 ? '1 hidden item' : `${hidden} hidden items`, `${hidden} 个隐藏项`));
  if (others > 0 && kinds === 'folders')
    parts.push(say(others === 1 ? '1 file' : `${others} files`, `${others} 个文件`));
  else if (others > 0)
    parts.push(say(others === 1 ? '1 of another type' : `${others} of other types`, `${others} 个其他类型`));
  return parts;
}
