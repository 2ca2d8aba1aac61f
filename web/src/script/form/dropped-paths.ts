/** The content of a drop. */
export type Dropped =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** Files whose content the browser shares, but not their paths. */
  | { readonly kind: 'placeless' }
  | { readonly kind: 'nothing' };

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
