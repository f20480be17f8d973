import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readStat } from '../../adapters/process/proc-files.ts';

/** The process of an id as no later one has it: ids are used again, after a reboot from the first one on. Letters, digits and a point. */
export async function markOf(pid: number): Promise<string> {
  return `${pid}.${await startOf(pid)}`;
}

export function pidOf(mark: string): number {
  return Number(mark.split('.', 1)[0]);
}

/** True while the process that has the mark runs on this machine. */
export async function isMarkedAlive(mark: string): Promise<boolean> {
  const pid = pidOf(mark);
  const start = await startOf(pid);
  return start !== '' && mark === `${pid}.${start}`;
}

/** When a process has started, by no clock that people set; empty for one that does not run. */
async function startOf(pid: number): Promise<string> {
  const text = process.platform === 'linux' ? await ticksOf(pid) : await listedStartOf(pid);
  return text.replace(/\W/g, '');
}

/** Since which start of the machine, and how long after it. */
async function ticksOf(pid: number): Promise<string> {
  const stat = await readStat(pid);
  const machine = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null);
  if (stat === null || machine === null || stat[0] === 'Z') return '';
  return `${machine.trim()}${stat[19]}`;
}

async function listedStartOf(pid: number): Promise<string> {
  const listed = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  }).catch(() => ({ stdout: '' }));
  return listed.stdout;
}
