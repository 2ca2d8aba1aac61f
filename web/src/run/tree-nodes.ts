import type { TreeAnswer } from '../api/wire.ts';

/** The schema says of the children that each is like its parent. */
export interface TreeNode extends Omit<TreeAnswer['root'], 'children'> {
  readonly children: readonly TreeNode[];
}

export interface RunTree extends Omit<TreeAnswer, 'root'> {
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
