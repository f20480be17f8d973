import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

const PROGRAM_FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'];
const NEEDED = ['dockerd', 'docker-init', 'containerd', 'containerd-shim-runc-v2', 'runc', 'iptables', 'ip', 'mount'];
const FOLDERS = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives'],
  // By which it trusts registries.
  ...['/etc/ssl', '/etc/pki', '/etc/ca-certificates', '/etc/docker/certs.d'],
];

/** The programs of a container engine, as this machine has them. */
export interface EnginePrograms {
  /** Folders that hold the programs and what they need. */
  readonly folders: readonly string[];
  /** Names of programs that are not there: without them there is no second engine. */
  readonly missing: readonly string[];
}

export async function findEnginePrograms(): Promise<EnginePrograms> {
  const [isProgram, isFolder] = await Promise.all([
    Promise.all(NEEDED.map(hasProgram)),
    Promise.all(FOLDERS.map((folder) => isThere(folder, constants.R_OK))),
  ]);
  return {
    folders: FOLDERS.filter((_, index) => isFolder[index]),
    missing: NEEDED.filter((_, index) => !isProgram[index]),
  };
}

async function hasProgram(name: string): Promise<boolean> {
  const found = await Promise.all(PROGRAM_FOLDERS.map((folder) => isThere(join(folder, name), constants.X_OK)));
  return found.includes(true);
}

function isThere(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
