import { readFile, readlink } from 'node:fs/promises';

/** What Linux tells of a process in `/proc`: its id here, or `self`. */
type ProcessId = number | string;

/**
 * Fields of `/proc/<id>/stat` from the state on, which is field 3 of proc_pid_stat(5): the name before it is in brackets, and may hold
 * anything. Null for a process that is gone, and where the system has no such file.
 */
export async function readStat(id: ProcessId): Promise<readonly string[] | null> {
  const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => null);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** When a process began, in ticks since the machine did; null for one that is gone. Ids are used again, and not with the same begin. */
export async function readBegin(id: ProcessId): Promise<string | null> {
  return (await readStat(id))?.[19] ?? null;
}

/** The number of the namespace in which this process has its id: in another one, such as of a container, the same id is another process. */
export async function readIdNamespace(): Promise<string> {
  return (await readlink('/proc/self/ns/pid')).replace(/\D/g, '');
}
