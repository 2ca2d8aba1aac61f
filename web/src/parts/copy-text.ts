/** Copies a text. Throws where the browser does not let it. */
export async function copyText(text: string): Promise<void> {
  // A page that came over plain http from another machine has no clipboard, but may still copy what is selected in it.
  if (isSecureContext) await navigator.clipboard.writeText(text);
  else copyBySelection(text);
}

function copyBySelection(text: string): void {
  // No field: it would have to get the focus, which a dialog does not let out.
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
  if (!isCopied) throw new Error('the browser did not copy it');
}

function rangesOf(selection: Selection | null): readonly Range[] {
  return selection === null || selection.rangeCount === 0 ? [] : [selection.getRangeAt(0)];
}
