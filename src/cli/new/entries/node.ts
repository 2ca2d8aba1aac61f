import { tr } from '../../language.ts';
import { summaryOf } from '../input-words.ts';
import type { NewScript } from '../new-script.ts';

const measures = {
  files: ['(await stat(item)).size', "import { stat } from 'node:fs/promises';\n\n"],
  folders: ['(await readdir(item)).length', "import { readdir } from 'node:fs/promises';\n\n"],
  text: ['[...item].length', ''],
} as const;

/** The entry file for Node and TypeScript, which differ only in a type annotation. */
export function nodeEntry({ input, language }: NewScript): string {
  const about = tr(
    'The return value is the result: msg for people, the rest for programs. Printed text goes to the log of the run.',
    '返回值就是结果：msg 给人看，其余给程序用。打印的内容在运行日志里。',
  );
  if (input === 'none')
    return `import hob from 'hob';

// ${about}
hob.main(async ({ params, run }) => {
  for (let time = 1; time <= params.times; time++) {
    console.log(params.greeting);
    run.progress(time / params.times, params.greeting);
  }
  return { msg: params.greeting, times: params.times };
});
`;
  const [measure, imports] = measures[input];
  const total = language === 'typescript' ? 'total: number' : 'total';
  const summary = summaryOf(input, `\${total}`, `\${inputs.length}`);
  return `${imports}import hob from 'hob';

// ${about}
hob.main(async ({ inputs, params, run }) => {
  for (let time = 1; time <= params.times; time++) console.log(params.greeting);
  let ${total} = 0;
  for (const [done, item] of inputs.entries()) {
    total += ${measure};
    run.progress((done + 1) / inputs.length, item);
  }
  return { msg: \`${summary}\`, total };
});
`;
}
