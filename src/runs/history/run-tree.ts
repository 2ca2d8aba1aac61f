import type { FamilyMember } from './history-store.ts';

/** A run with all that it started. */
export interface RunTree {
  readonly run: FamilyMember;
  readonly children: readonly RunTree[];
}

/** Members as a tree; the first is its root, and each comes after its parent. Null when there are none. */
export function growTree(members: readonly FamilyMember[]): RunTree | null {
  const [root] = members;
  if (root === undefined) return null;
  const childrenOf = new Map<string, RunTree[]>();
  const nodes = members.map((run) => {
    const children: RunTree[] = [];
    childrenOf.set(run.runId, children);
    return { run, children };
  });
  for (const node of nodes.slice(1)) childrenOf.get(node.run.parentRunId ?? '')?.push(node);
  return nodes[0] ?? null;
}
