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
