/** A sentence in which what stands between backticks is code. */
export function CodeText({ text }: { text: string }) {
  return text.split(/(`[^`]+`)/).map((piece, index) =>
    piece.startsWith('`') && piece.length > 1 ? (
      // A piece has no name but its place in the sentence, which never changes.
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence keep their order
      <code key={index} className="rounded bg-hover px-1 font-mono text-[0.92em] text-ink">
        {piece.slice(1, -1)}
      </code>
    ) : (
      piece
    ),
  );
}
