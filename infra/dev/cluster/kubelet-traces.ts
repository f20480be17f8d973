import { readdir, readlink, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What a kubelet keeps outside of the folder that it is given, whatever that is. */
export const KUBELET_PLACES = { devices: '/var/lib/kubelet', logs: '/var/log/containers' } as const;
const DEVICES = 'device-plugins';

/** Takes that away where it is of the kubelet of this folder: a machine may be, or have been, a node of its own. */
export async function removeTraces(
  { folder }: { readonly folder: string },
  { devices, logs }: Readonly<Record<keyof typeof KUBELET_PLACES, string>> = KUBELET_PLACES,
): Promise<void> {
  for (const name of await readdir(logs).catch(() => [])) {
    const path = join(logs, name);
    const target = await readlink(path).catch(() => '');
    if (target.startsWith(`${folder}/`)) await rm(path, { force: true });
  }
  await rmdir(logs).catch(() => undefined);
  // A node of the machine keeps more there than this.
  const kept = await readdir(devices).catch(() => []);
  if (kept.length === 1 && kept[0] === DEVICES) await rm(devices, { recursive: true });
}
