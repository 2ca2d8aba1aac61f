import { FolderOpen } from 'lucide-react';
import { useState } from 'react';

import type { Script } from '../../api/wire.ts';
import { FileBrowser } from '../../files/file-browser.tsx';
import { startAt } from '../../files/pick.ts';
import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { LabelledSwitch } from '../../parts/labelled-switch.tsx';
import { ChoiceSetting, type FormPart, MoreSettings, TextSetting } from './form-part.tsx';

const oneFolder = { kinds: 'folders', exts: [], isOne: true } as const;

/** The folder that a trigger watches, and the files that count. */
export function FolderFields({ script, ...part }: FormPart & { script: Script | null }) {
  const say = useSay();
  const { draft, change, errorOf } = part;
  const [isBrowsing, setBrowsing] = useState(false);
  const exts = script?.input?.exts ?? [];
  return (
    <>
      <TextSetting
        part={part}
        name="path"
        label={say('Folder', '文件夹')}
        description={say(
          'On the machine that runs Hob. The script receives the paths of files that arrive there.',
          '位于运行 Hob 的机器上。脚本会收到放入其中的文件的路径。',
        )}
        placeholder="~/Inbox"
        isRequired
      >
        <Button onClick={() => setBrowsing(true)}>
          <FolderOpen size={16} aria-hidden />
          {say('Browse', '浏览')}
        </Button>
      </TextSetting>
      <LabelledSwitch
        label={say('Also in its subfolders', '包括子文件夹')}
        isOn={draft.recursive}
        onChange={(recursive) => change('recursive', { recursive })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextSetting
          part={part}
          name="filters"
          label={say('File types', '文件类型')}
          placeholder={exts.length > 0 ? exts.join(' ') : say('All files', '所有文件')}
        />
        <ChoiceSetting
          part={part}
          name="after"
          label={say('Afterwards', '处理之后')}
          choices={[
            ['leave', say('Leave the file', '保留原处')],
            ['move', say('Move it to “done” or “failed”', '移到 done 或 failed')],
          ]}
        />
      </div>
      <MoreSettings isOpen={errorOf('settle') !== null || errorOf('batch') !== null}>
        <TextSetting
          part={part}
          name="settle"
          label={say('Complete if unchanged for', '多久不变视为完整')}
          placeholder="2s"
        />
        <TextSetting
          part={part}
          name="batch"
          label={say('Files within this time share a run', '此时间内的文件合并为一次运行')}
          placeholder={say('One run for each file', '每个文件运行一次')}
        />
      </MoreSettings>
      <FileBrowser
        isOpen={isBrowsing}
        wanted={oneFolder}
        start={startAt(draft.texts.path ?? '', oneFolder)}
        onClose={() => setBrowsing(false)}
        onPick={([path = '']) => change('path', { texts: { ...draft.texts, path } })}
      />
    </>
  );
}
