import type { Terminal } from '@xterm/xterm';

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * The few keys that do not go to the script. All others do, Tab among them, so there is one that leaves: no terminal program, browser or
 * system that we know of has a use for it.
 */
export function keepSomeKeys(terminal: Terminal, onLeave: () => void): void {
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.ctrlKey && event.shiftKey && event.code === 'Space') {
      event.preventDefault();
      if (event.type === 'keydown') onLeave();
      return false;
    }
    // Elsewhere Ctrl is what copies and pastes. Without anything to copy Ctrl-C is what it is in every terminal.
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
  // The terminal puts what is selected into it; where pages may not write to the clipboard this works all the same.
  document.execCommand('copy');
  terminal.clearSelection();
}

/**
 * Passes on what comes without a key, from a picker of emoji or by voice: in its mode for screen readers the terminal takes keys, and what an
 * input method composes, and nothing else.
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
