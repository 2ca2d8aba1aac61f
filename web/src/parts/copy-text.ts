/** Copies a text. Throws if the browser does not allow it. */
export async function copyText(text: string): Promise<void> {
  // A page loaded over plain HTTP from another machine has no clipboard API, but may copy a selection.
  if (isSecureContext) await navigator.clipboard.writeText(text);
  else copyBySelection(text);
}

function copyBySelection(text: string): void {
  // Not an input: it would need the focus, which an open dialog traps.
  const place = document.createElement('span');
  place.textContent = 'copy';
  place.className = 'fixed top-0 opacity-0 select-text';
  place.setAttribute('aria-hidden', 'true');
  place.addEventListener('copy', (event) => {
    event.preventDefault();
    event.stopPropagation();
    event.clipboardData?.setData('text/plain', text);
  });
  document.body.append(place);
  const selection = getSelection();
  const before = rangesOf(selection);
  selection?.selectAllChildren(place);
  const isCopied = document.execCommand('copy');
  place.remove();
  selection?.removeAllRanges();
  for (const range of before) selection?.addRange(range);
  if (!isCopied) throw new Error('the browser did not copy the text');
}

function rangesOf(selection: Selection | null): readonly Range[] {
  return selection === null || selection.rangeCount === 0 ? [] : [selection.getRangeAt(0)];
}
