import { readFile, readlink } from 'node:fs/promises';

/** How the names of the groups of orgs begin. */
export const ORG = 'org.';

/**
 * What this process is known by in the names of its groups, also after its end: the namespace of its number, the number, and
 * when it began, as numbers are used again.
 */
export async function ownMark(): Promise<string> {
  return `${await namespaceOf('self')}-${process.pid}-${await startOf('self')}`;
}

const MARK = /\.(\d+)-(\d+)-(\d+)$/;

/** The name of a group of the process that the mark is of. */
export function ownedName(name: string, mark: string): string {
  return `${name}.${mark}`;
}

/** Whether a group is of a process that is gone. Of one in another namespace, such as another container, it is not known. */
export async function isOrphan(groupName: string): Promise<boolean> {
  const [, namespace, pid = '', start] = MARK.exec(groupName) ?? [];
  if (namespace === undefined || namespace !== (await namespaceOf('self'))) return false;
  return (await startOf(pid)) !== start;
}

async function namespaceOf(process: string): Promise<string> {
  return (await readlink(`/proc/${process}/ns/pid`)).replace(/\D/g, '');
}

/** In ticks since the machine began; null for no process. The name before it is in brackets, and may hold anything. */
async function startOf(process: string): Promise<string | null> {
  const text = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => null);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
