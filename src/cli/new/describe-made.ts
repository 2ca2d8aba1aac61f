import { curlLine } from '../curl-line.ts';
import { tr } from '../language.ts';
import { quoteWord } from '../quote-word.ts';
import type { ServiceClient } from '../service-client.ts';
import type { NewScript } from './new-script.ts';
import { runLine } from './run-line.ts';
import { sampleValue } from './sample-input.ts';

const defaultUrl = 'http://127.0.0.1:9527';

interface Made {
  readonly folder: string;
  readonly parent: string;
  /** Whether the script is in the scripts folder of the home. */
  readonly isInHome: boolean;
  readonly client: ServiceClient | null;
  readonly isNoticed: boolean;
  /** Whether another script has the same name. */
  readonly isNameTaken: boolean;
}

/** Shows where the script is and how to run it. */
export function describeMade(
  script: NewScript,
  { folder, parent, isInHome, client, isNoticed, isNameTaken }: Made,
): string {
  const value = sampleValue(script.input, folder);
  const body = {
    script_id: script.id,
    sync: true,
    ...(value !== null && { data: { [script.input]: [value] } }),
  };
  const lines = [
    tr(`Created ${script.name} in ${folder}`, `${script.name} 已创建：${folder}`),
    ...(isNameTaken
      ? [tr(`Note: another script is also named ${script.name}.`, `另有脚本也叫 ${script.name}。`)]
      : []),
    ...(isNoticed ? [] : [howToServe(isInHome ? '' : ` --scripts ${quoteWord(parent)}`, client !== null)]),
    `${tr('Run it: ', '运行：')}${runLine(script, folder, isNameTaken)}`,
    `${tr('Over HTTP: ', '或者：')}${curlLine(client?.url ?? defaultUrl, body, { needsToken: client?.needsToken === true })}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Tells the user how to start a service that can run the script. */
function howToServe(flags: string, isRunning: boolean): string {
  const command = flags === '' ? 'hob start' : `hob serve${flags}`;
  return isRunning
    ? tr(
        `The running Hob does not read scripts from this folder. Restart it with: ${command}`,
        `正在运行的 Hob 不会读取那里的脚本。请这样重新启动它：${command}`,
      )
    : tr(`Hob is not running. Start it: ${command}`, `Hob 没有运行。启动它：${command}`);
}
