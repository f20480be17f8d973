import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { NODE_PLACES } from '../tools/containerd.ts';
import { runProgram } from '../tools/run-program.ts';
import { CLUSTER_NETWORK, type ClusterPaths, NODE_NAME } from './cluster-folder.ts';
import type { ClusterTools } from './cluster-programs.ts';
import { passBridgedPackets } from './kernel-settings.ts';

const { bridge, bridgeHardware, nodeAddress, podRange, serviceRange } = CLUSTER_NETWORK;

const RECORDS = '/var/lib/cni/results';

/** What is sent to a service that leads nowhere, or not yet: it is refused at once, and leaves the machine never. */
const NOWHERE = ['-d', serviceRange, '-j', 'REJECT'];

/** Rules of ours, the last one first, in front of those of the machine's engine: it may forward nothing by default. */
const RULES = [
  { table: 'nat', chain: 'POSTROUTING', rule: ['-s', podRange, '!', '-d', podRange, '-j', 'MASQUERADE'] },
  { table: 'filter', chain: 'FORWARD', rule: ['-s', podRange, '-j', 'ACCEPT'] },
  {
    table: 'filter',
    chain: 'FORWARD',
    rule: ['-d', podRange, '-m', 'conntrack', '--ctstate', 'RELATED,ESTABLISHED', '-j', 'ACCEPT'],
  },
  { table: 'filter', chain: 'FORWARD', rule: NOWHERE },
  { table: 'filter', chain: 'OUTPUT', rule: NOWHERE },
] as const;

/** The bridge of the pods, and how they reach others. */
export async function makeNetwork(tools: ClusterTools): Promise<void> {
  await passBridgedPackets();
  await ip(tools, 'link', 'add', bridge, 'type', 'bridge');
  await ip(tools, 'link', 'set', bridge, 'address', bridgeHardware);
  await ip(tools, 'addr', 'add', `${nodeAddress}/${podRange.split('/')[1]}`, 'dev', bridge);
  await ip(tools, 'link', 'set', bridge, 'up');
  // A machine without a network reaches services as well.
  await ip(tools, 'route', 'add', serviceRange, 'dev', bridge);
  for (const { table, chain, rule } of RULES) await iptables(tools, '-t', table, '-I', chain, ...rule);
}

/** The bridge, our rules, and those of its programs. What is not there any more is no error. */
export async function removeNetwork(paths: ClusterPaths, tools: ClusterTools): Promise<void> {
  for (const { table, chain, rule } of RULES) {
    await iptables(tools, '-t', table, '-D', chain, ...rule).catch(() => '');
  }
  for (const command of ['iptables', 'ip6tables'] as const) await removeChains(command, paths, tools);
  await ip(tools, 'link', 'del', bridge).catch(() => '');
  await removeRecords();
}

/**
 * Those of kube-proxy and of the kubelet: no other node is on this machine. `kube-proxy --cleanup` leaves some, and takes away what the
 * machine itself balances by IPVS.
 */
async function removeChains(command: Command, paths: ClusterPaths, tools: ClusterTools): Promise<void> {
  const undo = join(paths.config, `${command}.undo`);
  const tables = await savedTables(command, paths, tools);
  await writeFile(undo, undoOfChains(tables ?? ''));
  await runProgram(join(dirname(tools.containerd), `${command}-restore`), ['--wait', '--noflush', undo]);
}

type Command = 'iptables' | 'ip6tables';

/** The rules of the machine; null for a family of addresses that it does not have. */
export async function savedTables(
  command: Command,
  { config }: Pick<ClusterPaths, 'config'>,
  tools: ClusterTools,
): Promise<string | null> {
  const saved = join(config, `${command}.saved`);
  await mkdir(config, { recursive: true });
  await rm(saved, { force: true });
  await runProgram(join(dirname(tools.containerd), `${command}-save`), ['--file', saved]).catch(() => '');
  return await readFile(saved, 'utf8').catch(() => null);
}

/** @returns what takes the chains of Kubernetes out of saved tables, with what leads to them, for `iptables-restore --noflush` */
export function undoOfChains(saved: string): string {
  const tables = saved.split(/^(?=\*)/m).map((text) => {
    const lines = text.split('\n');
    const chains = lines.filter((line) => line.startsWith(':KUBE-')).map((line) => line.slice(1).split(' ')[0] ?? '');
    const leading = lines.filter((line) => /^-A (?!KUBE-).* -[jg] KUBE-/.test(line));
    if (chains.length === 0) return '';
    return [
      ...[lines[0], ...chains.map((chain) => `:${chain} - [0:0]`), ...leading.map((line) => line.replace(/^-A/, '-D'))],
      ...[...chains.map((chain) => `-X ${chain}`), 'COMMIT', ''],
    ].join('\n');
  });
  return tables.join('');
}

/** What the network plugins noted of pods whose end nobody told them. The folder is that of all networks of the machine. */
async function removeRecords(): Promise<void> {
  const names = await readdir(RECORDS).catch(() => []);
  const ids = names.flatMap((name) => new RegExp(`^${NODE_NAME}-([0-9a-f]{64})-`).exec(name)?.[1] ?? []);
  const ours = names.filter((name) => ids.some((id) => name.includes(id)));
  for (const name of ours) await rm(join(RECORDS, name), { force: true });
  for (const folder of [RECORDS, dirname(RECORDS)]) await rmdir(folder).catch(() => undefined);
}

/** Where the programs of the node find theirs: in front, those that came with them. */
export function searchPath({ containerd }: ClusterTools): string {
  return [dirname(containerd), process.env.PATH ?? ''].join(delimiter);
}

function iptables({ containerd }: ClusterTools, ...args: readonly string[]): Promise<string> {
  return runProgram(join(dirname(containerd), 'iptables'), ['--wait', ...args]);
}

function ip({ containerd }: ClusterTools, ...args: readonly string[]): Promise<string> {
  return runProgram(join(dirname(containerd), NODE_PLACES.busybox), ['ip', ...args]);
}
