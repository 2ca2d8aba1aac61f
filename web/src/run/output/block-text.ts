/** The text of an element, with the positions of its text nodes. */
export class BlockText {
  readonly text: string;
  readonly #nodes: { readonly node: Text; readonly start: number }[] = [];

  constructor(element: Element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = '';
    while (walker.nextNode() !== null) {
      if (!(walker.currentNode instanceof Text)) continue;
      this.#nodes.push({ node: walker.currentNode, start: text.length });
      text += walker.currentNode.data;
    }
    this.text = text;
  }

  /** The start and end of a line, counted from 0. */
  line(at: number): { start: number; end: number } {
    let start = 0;
    for (let before = 0; before < at; before += 1) start = this.text.indexOf('\n', start) + 1;
    const end = this.text.indexOf('\n', start);
    return { start, end: end < 0 ? this.text.length : end };
  }

  range(start: number, end: number): Range {
    const range = document.createRange();
    const [from, to] = [this.#place(start), this.#place(end)];
    if (from !== null) range.setStart(from.node, from.offset);
    if (to !== null) range.setEnd(to.node, to.offset);
    return range;
  }

  #place(at: number): { node: Text; offset: number } | null {
    // Binary search: coloured text has a node for every colour, and each of them may be looked up.
    let [from, to] = [0, this.#nodes.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if ((this.#nodes[middle]?.start ?? 0) <= at) from = middle + 1;
      else to = middle;
    }
    const found = this.#nodes[from - 1];
    if (found === undefined) return null;
    return { node: found.node, offset: Math.min(at - found.start, found.node.length) };
  }
}
