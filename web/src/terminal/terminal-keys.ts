import type { Terminal } from '@xterm/xterm';

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * Handles the few keys that are not sent to the script. Tab is sent too, so Ctrl+Shift+Space leaves the terminal. No known terminal program,
 * browser or system uses that shortcut.
 */
export function handleSpecialKeys(terminal: Terminal, onLeave: () => void): void {
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.ctrlKey && event.shiftKey && event.code === 'Space') {
      event.preventDefault();
      if (event.type === 'keydown') onLeave();
      return false;
    }
    // On macOS, Cmd copies and pastes. Elsewhere Ctrl does, but without a selection Ctrl-C interrupts as in every terminal.
    if (isMac || !event.ctrlKey || event.altKey || event.metaKey) return true;
    if (event.code === 'KeyV') return false;
    if (event.code !== 'KeyC' || !terminal.hasSelection()) return true;
    if (event.type === 'keydown') {
      event.preventDefault();
      copySelection(terminal);
    }
    return false;
  });
}

function copySelection(terminal: Terminal): void {
  // xterm.js puts the selection into the copy event. This also works on pages that cannot write to the clipboard.
  document.execCommand('copy');
  terminal.clearSelection();
}

/**
 * Sends text that arrives without a key press, for example from an emoji picker or dictation. In screen reader mode xterm.js handles only
 * keys and composed text.
 */
export function takeInsertedText(field: HTMLElement, type: (text: string) => void): void {
  let isByKey = false;
  field.addEventListener('keydown', () => {
    isByKey = true;
  });
  field.addEventListener('keyup', () => {
    isByKey = false;
  });
  field.addEventListener('input', (event) => {
    if (!(event instanceof InputEvent) || event.inputType !== 'insertText' || event.isComposing) return;
    if (!isByKey && event.data !== null) type(event.data);
  });
}
