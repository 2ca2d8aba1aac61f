import type { TreeAnswer } from '../api/wire.ts';

/** The type from the schema is not recursive, so it is completed here. */
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

/** The runs of a tree in display order, each after its parent. */
export function rowsOf(root: TreeNode): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (node: TreeNode, level: number) => {
    rows.push({ node, level });
    for (const child of node.children) add(child, level + 1);
  };
  add(root, 0);
  return rows;
}
