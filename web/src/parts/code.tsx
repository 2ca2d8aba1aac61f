/** Renders the parts of a text between backticks as code. */
export function CodeText({ text }: { text: string }) {
  return text.split(/(`[^`]+`)/).map((piece, index) =>
    piece.startsWith('`') && piece.length > 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text keep their order
      <code key={index} className="rounded bg-hover px-1 font-mono text-[0.92em] text-ink">
        {piece.slice(1, -1)}
      </code>
    ) : (
      piece
    ),
  );
}

/** Read-only text. A textarea, so that the keyboard can scroll and select it. */
export function CodeBox({ label, text }: { label: string; text: string }) {
  return (
    <textarea
      readOnly
      aria-label={label}
      value={text}
      spellCheck={false}
      wrap="off"
      className="block max-h-[50dvh] w-full field-sizing-content resize-none overflow-auto rounded-lg border border-line bg-canvas p-3 font-mono text-[13px] -outline-offset-2"
    />
  );
}
