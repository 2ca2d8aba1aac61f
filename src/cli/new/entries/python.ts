import { tr } from '../../language.ts';
import { greeting, summaryOf } from '../input-words.ts';
import type { NewScript } from '../new-script.ts';

const measures = {
  files: ['os.path.getsize(item)', 'import os\n\n'],
  folders: ['len(os.listdir(item))', 'import os\n\n'],
  text: ['len(item)', ''],
} as const;

export function pythonEntry({ input }: NewScript): string {
  const params = `greeting: str = "${greeting}", times: int = 1`;
  const about = tr(
    'The return value is the result: msg for people, the rest for programs. Printed text goes to the log of the run.',
    '返回值就是结果：msg 给人看，其余给程序用。打印的内容在运行日志里。',
  );
  if (input === 'none')
    return `import hob


@hob.main
def main(inputs: list, run, ${params}):
    # ${about}
    for time in range(times):
        print(greeting)
        run.progress((time + 1) / times, greeting)
    return {"msg": greeting, "times": times}
`;
  const [measure, imports] = measures[input];
  return `${imports}import hob


@hob.main
def main(inputs: list, run, ${params}):
    # ${about}
    for _ in range(times):
        print(greeting)
    total = 0
    for done, item in enumerate(inputs, start=1):
        total += ${measure}
        run.progress(done / len(inputs), item)
    return {"msg": f"${summaryOf(input, '{total}', '{len(inputs)}')}", "total": total}
`;
}
