import type { FamilyMember } from './history-store.ts';

/** A run with all runs that it started. */
export interface RunTree {
  readonly run: FamilyMember;
  readonly children: readonly RunTree[];
}

/** Builds a tree from members. The first is the root, and each comes after its parent. Null if there are no members. */
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
