import { Link } from 'wouter';

import { useSay } from '../language/language.tsx';

/** The names of scripts in a sentence, as links to their pages. */
export function ScriptLinks({ scripts }: { scripts: readonly { script_id: string; script_name: string }[] }) {
  const say = useSay();
  return scripts.map(({ script_id, script_name }, index) => (
    <span key={script_id}>
      {index > 0 && say(', ', '、')}
      <Link href={`/scripts/${script_id}`} className="text-ink underline underline-offset-2">
        {script_name}
      </Link>
    </span>
  ));
}
