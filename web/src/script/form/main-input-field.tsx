import { FolderOpen } from 'lucide-react';
import { type DragEvent, useMemo, useState } from 'react';

import type { Script } from '../../api/wire.ts';
import { FileBrowser } from '../../files/file-browser.tsx';
import { startAt, wantedBy } from '../../files/pick.ts';
import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { Field, TextArea } from '../../parts/field.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { linesOf } from './draft.ts';
import { inputField, readInput } from './make-call.ts';
import type { FieldError } from './read-draft.ts';

/** The content of a drop. */
type Dropped =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** Files whose content the browser shares, but not their paths. */
  | { readonly kind: 'placeless' }
  | { readonly kind: 'nothing' };

interface MainInputFieldProps {
  readonly input: NonNullable<Script['input']>;
  readonly text: string;
  readonly fieldError: FieldError | undefined;
  readonly onChange: (text: string) => void;
}

/** The main input of a script: typed, dropped, or chosen in the file browser. */
export function MainInputField({ input, text, fieldError, onChange }: MainInputFieldProps) {
  const say = useSay();
  const toast = useToast();
  const [isBrowsing, setBrowsing] = useState(false);
  const [isOver, setOver] = useState(false);
  const { label, type, pick, exts, description } = input;
  const isOne = type === 'str';
  const wanted = useMemo(() => wantedBy(pick, exts, isOne), [pick, exts, isOne]);
  const values = readInput(input, text);

  const add = (lines: readonly string[]) => {
    if (isOne) onChange(lines.join('\n'));
    else onChange(linesOf([...new Set([...values, ...lines])]));
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    const dropped = readDrop(event.dataTransfer);
    // The browser handles text that is moved within the field.
    if (dropped.kind === 'nothing' || (isOne && dropped.kind === 'lines' && text !== '')) return;
    event.preventDefault();
    if (dropped.kind === 'lines') add(dropped.lines);
    else
      toast({
        kind: 'info',
        title: say('The browser does not share the paths of these files', '浏览器不提供这些文件的路径'),
        message: say('Use Browse to choose them.', '请用“浏览”选择。'),
      });
  };
  return (
    <>
      <Field
        label={
          <>
            {label}
            {!isOne && values.length > 1 && (
              <span aria-hidden className="ml-2 font-normal text-muted">
                {values.length}
              </span>
            )}
          </>
        }
        description={description}
        error={fieldError === undefined ? null : say(fieldError.en, fieldError.zh)}
      >
        {({ id, describedBy, isInvalid }) => (
          <div className="flex flex-col gap-2 sm:flex-row sm:items-start">
            <TextArea
              id={id}
              value={text}
              data-field={inputField}
              aria-describedby={describedBy}
              aria-invalid={isInvalid}
              placeholder={placeholderOf(input, say)}
              onChange={({ target }) => onChange(target.value)}
              onDragOver={(event) => {
                event.preventDefault();
                setOver(true);
              }}
              onDragLeave={() => setOver(false)}
              onDrop={drop}
              className={classes(
                'font-mono text-[13px]',
                (!isOne || pick === null) && 'min-h-20',
                isOver && 'border-accent bg-accent-ground',
              )}
            />
            <Button onClick={() => setBrowsing(true)}>
              <FolderOpen size={16} aria-hidden />
              {say('Browse', '浏览')}
            </Button>
          </div>
        )}
      </Field>
      <FileBrowser
        isOpen={isBrowsing}
        wanted={wanted}
        start={startAt(String(values.at(-1) ?? ''), wanted)}
        onClose={() => setBrowsing(false)}
        onPick={add}
      />
    </>
  );
}

function placeholderOf(
  { type, pick, exts }: NonNullable<Script['input']>,
  say: (en: string, zh: string) => string,
): string {
  const kinds = exts.length > 0 ? ` (${exts.join(' ')})` : '';
  if (type === 'str') return pick === null ? '' : say('Path', '路径') + kinds;
  return pick === null
    ? say('One entry per line, or JSON: ["a", "b"]', '每行一项，或 JSON：["a", "b"]')
    : say('One path per line, or drop text here', '每行一个路径，可拖入文本') + kinds;
}

/** Reads paths if the file manager passes them, or else the dropped text line by line. */
export function readDrop(transfer: Pick<DataTransfer, 'getData' | 'files'>): Dropped {
  const addresses = linesIn(transfer.getData('text/uri-list')).filter((line) => !line.startsWith('#'));
  const paths = addresses.map(pathOfAddress).filter((path) => path !== null);
  if (paths.length > 0) return { kind: 'lines', lines: paths };
  const lines = linesIn(transfer.getData('text/plain'));
  if (lines.length > 0) return { kind: 'lines', lines };
  return { kind: transfer.files.length > 0 ? 'placeless' : 'nothing' };
}

function linesIn(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function pathOfAddress(address: string): string | null {
  if (!address.startsWith('file://') || !URL.canParse(address)) return null;
  const path = decodeURIComponent(new URL(address).pathname);
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1).replaceAll('/', '\\') : path;
}
