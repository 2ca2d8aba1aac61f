import { useState } from 'react';

import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { PlainValue } from './plain-value.tsx';

const stepSize = 100;

/** A list of similar items as a table. */
export function ValueTable({ rows, columns }: { rows: readonly unknown[]; columns: readonly string[] }) {
  const say = useSay();
  const [shown, setShown] = useState(stepSize);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll a wide table
    <div className="overflow-x-auto" tabIndex={0}>
      <table className="text-left">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className="border-b border-line py-1 pr-5 font-normal text-muted">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a result never change
            <tr key={at}>
              {columns.map((column) => (
                <td key={column} className="border-b border-line py-1 pr-5 align-top">
                  <PlainValue value={fieldOf(row, column)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <Button size="small" className="mt-2" onClick={() => setShown(shown + stepSize * 5)}>
          {say(
            `Show more (${(rows.length - shown).toLocaleString('en')} left)`,
            `还有 ${(rows.length - shown).toLocaleString('en')} 项`,
          )}
        </Button>
      )}
    </div>
  );
}

function fieldOf(row: unknown, name: string): unknown {
  return typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined;
}
