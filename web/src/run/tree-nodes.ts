import type { Static } from 'typebox';

import type { TreeAnswer } from '../../../src/http/wire/history.ts';

type Answer = Static<typeof TreeAnswer>;

/** The schema says of the children that each is like its parent. */
export interface TreeNode extends Omit<Answer['root'], 'children'> {
  readonly children: readonly TreeNode[];
}

export interface RunTree extends Omit<Answer, 'root'> {
  readonly root: TreeNode;
}

export interface TreeRow {
  readonly node: TreeNode;
  readonly level: number;
}

/** The runs of a tree in the order in which they are shown, each after its parent. */
export function rowsOf(root: TreeNode): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (node: TreeNode, level: number) => {
    rows.push({ node, level });
    for (const child of node.children) add(child, level + 1);
  };
  add(root, 0);
  return rows;
}
