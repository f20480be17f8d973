import { readBegin, readIdNamespace } from '../../process/proc-files.ts';

/** How the names of the groups of orgs begin. */
export const ORG = 'org.';

/**
 * What this process is known by in the names of its groups, also after its end: the namespace of its number, the number, and
 * when it began, as numbers are used again.
 */
export async function ownMark(): Promise<string> {
  return `${await readIdNamespace()}-${process.pid}-${await readBegin('self')}`;
}

const MARK = /\.(\d+)-(\d+)-(\d+)$/;

/** The name of a group of the process that the mark is of. */
export function ownedName(name: string, mark: string): string {
  return `${name}.${mark}`;
}

/** Whether a group is of a process that is gone. Of one in another namespace, such as another container, it is not known. */
export async function isOrphan(groupName: string): Promise<boolean> {
  const [, namespace, pid = '', start] = MARK.exec(groupName) ?? [];
  if (namespace === undefined || namespace !== (await readIdNamespace())) return false;
  return (await readBegin(pid)) !== start;
}
