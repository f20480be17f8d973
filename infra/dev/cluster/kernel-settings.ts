import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../tools/run-program.ts';

/** Whether packets between the ports of a bridge pass the rules of iptables. */
const BRIDGED = 'net/bridge/bridge-nf-call-iptables';

/** What a node sets for the whole machine, as paths below /proc/sys. That it forwards packets stays: other engines need it too. */
const SETTINGS = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
  'net/ipv4/conf/all/route_localnet',
  BRIDGED,
] as const;

const KERNEL = '/proc/sys';

/** Values by name; those that the machine does not have are left out. */
export async function readKernelSettings(folder = KERNEL): Promise<Readonly<Record<string, string>>> {
  const read = SETTINGS.map(async (name) => [
    name,
    (await readFile(join(folder, name), 'utf8').catch(() => '')).trim(),
  ]);
  return Object.fromEntries((await Promise.all(read)).filter(([, value]) => value !== ''));
}

/** As {@link readKernelSettings}, for who puts them back: without its module a machine passes no bridged packets to iptables. */
export async function settingsBefore(folder = KERNEL): Promise<Readonly<Record<string, string>>> {
  return { [BRIDGED]: '0', ...(await readKernelSettings(folder)) };
}

/** Keeps the containers of one bridge apart: without the setting such a rule sees none of their packets. */
const KEEPS_APART = /^-A \S+ -i (\S+) -o \1 (?:.* )?-j DROP$/m;

/**
 * Of the settings as they were before, those that nobody else needs as they are by now.
 * @param rules those of iptables that are left; null where they are not known
 */
export function settingsToPutBack(
  before: Readonly<Record<string, string>>,
  rules: string | null,
): Readonly<Record<string, string>> {
  const { [BRIDGED]: _, ...others } = before;
  return rules === null || KEEPS_APART.test(rules) ? others : before;
}

/** Puts back the ones that differ. One that the machine has no more is left out: a reboot takes modules of the kernel away. */
export async function writeKernelSettings(wanted: Readonly<Record<string, string>>, folder = KERNEL): Promise<void> {
  const now = await readKernelSettings(folder);
  const changed = SETTINGS.filter((name) => name in wanted && name in now && now[name] !== wanted[name]);
  for (const name of changed) await writeFile(join(folder, name), wanted[name] ?? '');
}

/**
 * Else a pod that asks a service of another one gets its answer from that pod, whom it has not asked.
 * @throws Error where the kernel cannot do that
 */
export async function passBridgedPackets(): Promise<void> {
  const bridged = join(KERNEL, BRIDGED);
  if (!existsSync(bridged)) await runProgram('modprobe', ['br_netfilter']);
  await writeFile(bridged, '1');
}
