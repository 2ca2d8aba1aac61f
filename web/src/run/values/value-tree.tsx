import { ChevronRight, FolderOpen } from 'lucide-react';
import { Fragment, useState } from 'react';

import { hob } from '../../api/hob.ts';
import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { hintOf, messageOf } from '../../parts/failure.tsx';
import { useToast } from '../../parts/toasts.tsx';

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

const foldedAfter = 300;

/** Longer texts are cut, because their layout would block the page. Copying gives the full text. */
const mostShown = 100_000;

function PlainValue({ value }: { value: unknown }) {
  if (typeof value !== 'string') return <span className="text-busy">{String(value)}</span>;
  if (value === '') return <span className="text-muted">""</span>;
  if (isPath(value)) return <PathValue path={value} />;
  if (value.length > foldedAfter) return <LongText text={value} />;
  return <span className="whitespace-pre-wrap wrap-anywhere">{value}</span>;
}

/** A long text, collapsed at first. */
function LongText({ text }: { text: string }) {
  const say = useSay();
  const [isOpen, setOpen] = useState(false);
  const count = text.length.toLocaleString('en');
  return (
    <span className="min-w-0">
      <span className="block whitespace-pre-wrap wrap-anywhere">
        {text.slice(0, isOpen ? mostShown : foldedAfter)}
        {(!isOpen || text.length > mostShown) && ' …'}
      </span>
      <span className="mt-1 flex items-center gap-1">
        <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen
            ? say('Show less', '收起')
            : say(`Show more (${count} characters)`, `展开全部 ${count} 个字符`)}
        </Button>
        <CopyButton text={text} />
      </span>
    </span>
  );
}

/** A path on the machine that runs Hob. A click opens its folder there. */
function PathValue({ path }: { path: string }) {
  const say = useSay();
  const toast = useToast();
  const label = say(`Open the folder of ${path}`, `打开所在文件夹：${path}`);
  const open = async () => {
    try {
      await hob.request('POST', '/api/open-folder', { body: { path } });
    } catch (error) {
      toast({ kind: 'error', title: messageOf(error, say), message: hintOf(error) });
    }
  };
  return (
    <span className="-my-1 inline-flex max-w-full items-center gap-0.5">
      <button
        type="button"
        title={label}
        aria-label={label}
        className="inline-flex min-w-0 items-center gap-1.5 rounded text-left text-accent hover:underline"
        onClick={() => void open()}
      >
        <span className="min-w-0 wrap-anywhere">
          {path.split(/(?<=[\\/])/).map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one path
            <Fragment key={at}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </span>
        <FolderOpen size={15} aria-hidden className="shrink-0" />
      </button>
      <CopyButton text={path} label={say(`Copy path ${path}`, `复制路径 ${path}`)} />
    </span>
  );
}

/** Whether a text is an absolute path of any system. */
export function isPath(text: string): boolean {
  return text.length < 4096 && /^(?:\/[^/\n]|[A-Za-z]:[\\/]|\\\\[^\\\n])[^\n]*$/.test(text);
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function entriesOf(value: Container): [name: string, value: unknown][] {
  return Array.isArray(value)
    ? value.map((item, at): [string, unknown] => [String(at), item])
    : Object.entries(value);
}

const mostColumns = 6;

/** The columns of a list whose items have the same few plain fields; null if a tree is better. */
export function columnsOf(value: Container): readonly string[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const [first] = value;
  if (!isContainer(first) || Array.isArray(first)) return null;
  const columns = Object.keys(first);
  if (columns.length === 0 || columns.length > mostColumns) return null;
  const isRow = (item: unknown) =>
    isContainer(item) &&
    !Array.isArray(item) &&
    Object.keys(item).join('\0') === columns.join('\0') &&
    Object.values(item).every((cell) => !isContainer(cell) && String(cell).length <= 200);
  return value.every(isRow) ? columns : null;
}
