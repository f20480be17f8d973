import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FairleadError } from '../../../domain/errors.ts';
import { makePrivateFolder } from '../data-folder.ts';
import { freePorts } from '../free-ports.ts';
import type { Env } from '../project.ts';
import { errorLine, type Reporter } from '../terminal.ts';
import { containerd, NODE_PLACES } from '../tools/containerd.ts';
import { etcd } from '../tools/etcd.ts';
import { kubernetes } from '../tools/kubernetes.ts';
import { type ResolveOptions, resolveTool } from '../tools/resolve-tool.ts';
import { runProgram } from '../tools/run-program.ts';
import { removeCluster } from './bring-down.ts';
import { apiServerAnswers, isNodeReady, isWell } from './cluster-answers.ts';
import { CLUSTER_USERS, type ClusterUser, ensureCredentials, kubeconfigOf } from './cluster-credentials.ts';
import { type ClusterPaths, clusterFolder, clusterPaths, takeTurn, writeState } from './cluster-folder.ts';
import { makeNetwork, searchPath } from './cluster-network.ts';
import { otherNode } from './cluster-processes.ts';
import {
  CLUSTER_PORTS,
  type ClusterPorts,
  type ClusterProgram,
  type ClusterTools,
  clusterFiles,
  clusterPrograms,
} from './cluster-programs.ts';
import { clusterStatus } from './cluster-status.ts';
import { settingsBefore } from './kernel-settings.ts';
import { writePauseImage } from './pause-image.ts';

export interface ClusterOptions extends ResolveOptions {
  readonly env: Env;
  readonly report: Reporter;
}

/** Of each program; one that ends is told at once. */
const START_DEADLINE_MS = 300_000;

/**
 * Brings up a cluster of one node on this machine, or finds the one that is up. What it starts goes on when this process ends.
 * @returns the path of the kubeconfig of its administrator
 * @throws FairleadError UNAVAILABLE with what the machine lacks, or the program that does not start and its log
 */
export async function bringUp(options: ClusterOptions): Promise<string> {
  const paths = clusterPaths(clusterFolder(options.env));
  await requireMachine(paths);
  await makePrivateFolder(paths.folder);
  const lock = await takeTurn(paths, options.report);
  try {
    if ((await clusterStatus(paths)).isUp) return paths.kubeconfig;
    const tools = await clusterTools(options);
    await removeCluster(paths, tools);
    await options.report.work('Cluster: starting', '30 s', () => startAll(paths, tools));
    return paths.kubeconfig;
  } finally {
    await lock.release();
  }
}

/** @throws FairleadError UNAVAILABLE with why this machine can have no node */
async function requireMachine(paths: ClusterPaths): Promise<void> {
  const lacks = await missingOfMachine(paths);
  if (lacks !== null) throw new FairleadError('UNAVAILABLE', `a cluster cannot run on this machine: ${lacks}`);
}

async function missingOfMachine(paths: ClusterPaths): Promise<string | null> {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root: a node makes networks and mounts';
  const other = await otherNode(paths);
  return other === null ? null : `process ${other} is the kubelet of another cluster, and a machine is one node`;
}

/** @throws FairleadError UNAVAILABLE with every way tried of what cannot be had */
export async function clusterTools(options: ResolveOptions): Promise<ClusterTools> {
  const [database, node, programs] = [
    await resolveTool(etcd, options),
    await resolveTool(containerd, options),
    await resolveTool(kubernetes, options),
  ];
  return { etcd: database.path, containerd: node.path, kubeApiserver: programs.path };
}

async function startAll(paths: ClusterPaths, tools: ClusterTools): Promise<void> {
  const numbers = await freePorts(CLUSTER_PORTS.length);
  const ports = Object.fromEntries(CLUSTER_PORTS.map((name, index) => [name, numbers[index] ?? 0])) as ClusterPorts;
  try {
    await writeState(paths, { ports, kernel: await settingsBefore() });
    await prepare(paths, tools, ports);
    for (const program of clusterPrograms(paths, tools, ports)) {
      const started = await start(program, paths, tools);
      await until(program.name, paths, started, () => serves(program, paths, tools, ports));
    }
  } catch (error) {
    await removeCluster(paths, tools);
    throw new FairleadError('UNAVAILABLE', `the cluster did not start: ${errorLine(error)}`, { cause: error });
  }
}

async function prepare(paths: ClusterPaths, tools: ClusterTools, ports: ClusterPorts): Promise<void> {
  for (const folder of [
    paths.logs,
    paths.etcd,
    paths.kubelet,
    paths.containerd,
    paths.config,
    join(paths.cni, 'conf'),
  ]) {
    await makePrivateFolder(folder);
  }
  await mkdir(join(paths.containerd, 'root'), { recursive: true });
  await ensureCredentials(paths);
  for (const [name, text] of Object.entries(clusterFiles(paths, tools, ports))) {
    const folder = name === 'network.conflist' ? join(paths.cni, 'conf') : paths.config;
    await writeFile(join(folder, name), text, { mode: 0o600 });
  }
  for (const user of Object.keys(CLUSTER_USERS) as ClusterUser[]) {
    const path = user === 'admin' ? paths.kubeconfig : join(paths.config, `${user}.kubeconfig`);
    await writeFile(path, await kubeconfigOf(paths, user, ports.apiserver), { mode: 0o600 });
  }
  await makeNetwork(tools);
}

export function busyboxOf({ containerd: path }: Pick<ClusterTools, 'containerd'>): string {
  return join(dirname(path), NODE_PLACES.busybox);
}

async function start(
  program: ClusterProgram,
  { logs, folder }: ClusterPaths,
  tools: ClusterTools,
): Promise<ChildProcess> {
  const log = openSync(join(logs, `${program.name}.log`), 'w', 0o600);
  // A session of its own: it stays when the terminal goes.
  const stdio = ['ignore', log, log] as const;
  const child = spawn(program.command, [...program.args], {
    ...{ cwd: folder, detached: true, stdio: [...stdio] },
    env: { ...process.env, PATH: searchPath(tools) },
  });
  closeSync(log);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
  return child;
}

/** Whether a program does what the next one needs of it. */
async function serves(
  { name }: ClusterProgram,
  paths: ClusterPaths,
  tools: ClusterTools,
  ports: ClusterPorts,
): Promise<boolean> {
  switch (name) {
    case 'containerd':
      return await takesPauseImage(paths, tools);
    case 'kube-apiserver':
      return await apiServerAnswers(paths, ports.apiserver);
    case 'kubelet':
      return await isNodeReady(paths, ports.apiserver);
    case 'etcd':
      return await isWell(`http://127.0.0.1:${ports.etcd}/health`);
    case 'kube-controller-manager':
      return await isWell(`https://127.0.0.1:${ports.controllers}/healthz`);
    case 'kube-scheduler':
      return await isWell(`https://127.0.0.1:${ports.scheduler}/healthz`);
    case 'kube-proxy':
      return await isWell(`http://127.0.0.1:${ports.proxyHealth}/healthz`);
  }
}

async function takesPauseImage(paths: ClusterPaths, tools: ClusterTools): Promise<boolean> {
  const archive = join(paths.containerd, 'pause.tar');
  await writePauseImage(busyboxOf(tools), archive);
  return await runProgram(join(dirname(tools.containerd), 'ctr'), [
    ...['--address', paths.socket, '--namespace', 'k8s.io', 'images', 'import', archive],
  ]).then(
    () => true,
    // Its socket is not there yet.
    () => false,
  );
}

async function until(
  name: string,
  { logs }: ClusterPaths,
  child: ChildProcess,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const log = join(logs, `${name}.log`);
  const deadline = performance.now() + START_DEADLINE_MS;
  while (!(await isDone())) {
    const last = async (): Promise<string> => (await readFile(log, 'utf8')).trim().split('\n').slice(-3).join(' | ');
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`${name} ended with ${end}; its log is ${log}: ${await last()}`);
    if (performance.now() > deadline) {
      throw new Error(`${name} does not serve after ${START_DEADLINE_MS / 1000} s; its log is ${log}: ${await last()}`);
    }
    await delay(250);
  }
}
