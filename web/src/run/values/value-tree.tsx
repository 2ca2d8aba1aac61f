import { ChevronRight } from 'lucide-react';
import { useState } from 'react';

import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { PlainValue } from './plain-value.tsx';
import { type Container, columnsOf, entriesOf, isContainer } from './value-kind.ts';

/** Values with at most this number of entries start expanded. */
const openUpTo = 12;
export const stepSize = 100;

/** A JSON value as a tree. Large values start collapsed and are rendered when they are opened. */
export function ValueTree({ value, level = 0 }: { value: unknown; level?: number }) {
  const say = useSay();
  const [shown, setShown] = useState(stepSize);
  if (!isContainer(value)) return <PlainValue value={value} />;
  const columns = columnsOf(value);
  if (columns !== null && Array.isArray(value)) return <ValueTable rows={value} columns={columns} />;
  const entries = entriesOf(value);
  return (
    <ul className={classes('flex flex-col gap-1', level > 0 && 'ml-1.5 border-l border-line pl-3.5')}>
      {entries.slice(0, shown).map(([name, item]) => (
        <li key={name} className="min-w-0">
          {isContainer(item) && entriesOf(item).length > 0 ? (
            <Branch name={name} value={item} level={level} />
          ) : (
            <span className="flex flex-wrap items-baseline gap-x-2">
              <Name name={name} />
              {isContainer(item) ? <Size value={item} /> : <PlainValue value={item} />}
            </span>
          )}
        </li>
      ))}
      {entries.length > shown && (
        <li>
          <Button size="small" onClick={() => setShown(shown + stepSize * 5)}>
            {say(
              `Show more (${(entries.length - shown).toLocaleString('en')} left)`,
              `还有 ${(entries.length - shown).toLocaleString('en')} 项`,
            )}
          </Button>
        </li>
      )}
    </ul>
  );
}

function Branch({ name, value, level }: { name: string; value: Container; level: number }) {
  const [isOpen, setOpen] = useState(level < 2 && entriesOf(value).length <= openUpTo);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-ml-1 inline-flex items-center gap-1 rounded px-1 hover:bg-hover"
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={classes('text-muted transition-transform', isOpen && 'rotate-90')}
        />
        <Name name={name} />
        <Size value={value} />
      </button>
      {isOpen && (
        <div className="mt-1">
          <ValueTree value={value} level={level + 1} />
        </div>
      )}
    </>
  );
}

function Name({ name }: { name: string }) {
  return <span className="text-muted wrap-anywhere">{name}</span>;
}

function Size({ value }: { value: Container }) {
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  return <span className="text-xs text-muted">{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>;
}

/** A list of similar items as a table. */
function ValueTable({ rows, columns }: { rows: readonly unknown[]; columns: readonly string[] }) {
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
