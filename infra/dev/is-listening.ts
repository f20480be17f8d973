import { readdir, readFile, readlink } from 'node:fs/promises';
import { readStat } from '../../adapters/process/proc-files.ts';

const LISTEN = '0A';

/**
 * Whether a process of a group listens on a port of this machine. Null where the system does not tell: Linux does.
 * @param group process id of the group's leader
 */
export async function isListening(group: number | undefined, port: number): Promise<boolean | null> {
  const sockets = await listeningSockets(port);
  if (group === undefined || sockets.size === 0) return null;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if ((await groupOf(pid)) === group && (await holdsAny(pid, sockets))) return true;
  }
  return false;
}

/** As `/proc/<pid>/fd` names them. See proc_pid_net(5): local address, state and inode are columns 2, 4 and 10. */
async function listeningSockets(port: number): Promise<ReadonlySet<string>> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const rows = tables.flatMap((table) => table.split('\n')).map((line) => line.trim().split(/\s+/));
  const listening = rows.filter(([, local = '', , state]) => state === LISTEN && local.endsWith(suffix));
  return new Set(listening.map((columns) => `socket:[${columns[9]}]`));
}

/** The group of a process; null when it is gone. */
export async function groupOf(pid: string): Promise<number | null> {
  const [, , group] = (await readStat(pid)) ?? [];
  return group === undefined ? null : Number(group);
}

async function holdsAny(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const descriptors = await readdir(folder).catch(() => []);
  const targets = await Promise.all(descriptors.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return targets.some((target) => sockets.has(target));
}
