import { readdir, rm, rmdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { NODE_PLACES } from '../tools/containerd.ts';
import { runProgram } from '../tools/run-program.ts';
import { CLUSTER_NETWORK, type ClusterPaths, NODE_NAME } from './cluster-folder.ts';
import type { ClusterTools } from './cluster-programs.ts';
import { passBridgedPackets } from './kernel-settings.ts';

const { bridge, bridgeHardware, nodeAddress, podRange } = CLUSTER_NETWORK;

const RECORDS = '/var/lib/cni/results';

/** Rules of ours, in front of those of the machine's engine: it may forward nothing by default. */
const RULES = [
  { table: 'nat', chain: 'POSTROUTING', rule: ['-s', podRange, '!', '-d', podRange, '-j', 'MASQUERADE'] },
  { table: 'filter', chain: 'FORWARD', rule: ['-s', podRange, '-j', 'ACCEPT'] },
  {
    table: 'filter',
    chain: 'FORWARD',
    rule: ['-d', podRange, '-m', 'conntrack', '--ctstate', 'RELATED,ESTABLISHED', '-j', 'ACCEPT'],
  },
] as const;

/** The bridge of the pods, and how they reach others. */
export async function makeNetwork(tools: ClusterTools): Promise<void> {
  await passBridgedPackets();
  await ip(tools, 'link', 'add', bridge, 'type', 'bridge');
  await ip(tools, 'link', 'set', bridge, 'address', bridgeHardware);
  await ip(tools, 'addr', 'add', `${nodeAddress}/${podRange.split('/')[1]}`, 'dev', bridge);
  await ip(tools, 'link', 'set', bridge, 'up');
  for (const { table, chain, rule } of RULES) await iptables(tools, '-t', table, '-I', chain, ...rule);
}

/** The bridge, our rules, and those that kube-proxy set. What is not there any more is no error. */
export async function removeNetwork({ config }: ClusterPaths, tools: ClusterTools): Promise<void> {
  const env = { PATH: searchPath(tools) };
  const settings = `--config=${join(config, 'kube-proxy.json')}`;
  await runProgram(join(dirname(tools.kubeApiserver), 'kube-proxy'), ['--cleanup', settings], { env }).catch(() => '');
  for (const { table, chain, rule } of RULES) {
    await iptables(tools, '-t', table, '-D', chain, ...rule).catch(() => '');
  }
  await ip(tools, 'link', 'del', bridge).catch(() => '');
  await removeRecords();
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
