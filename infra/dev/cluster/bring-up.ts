import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FairleadError } from '../../../domain/errors.ts';
import { makePrivateFolder } from '../data-folder.ts';
import { freePorts } from '../free-ports.ts';
import type { Env } from '../project.ts';
import { errorLine, type Reporter } from '../terminal.ts';
import { containerd, NODE_PLACES } from '../tools/containerd.ts';
import { etcd } from '../tools/etcd.ts';
import { waitForLock } from '../tools/folder-lock.ts';
import { kubernetes } from '../tools/kubernetes.ts';
import { type ResolveOptions, resolveTool } from '../tools/resolve-tool.ts';
import { runProgram } from '../tools/run-program.ts';
import { bringDown } from './bring-down.ts';
import { apiServerAnswers, isNodeReady } from './cluster-answers.ts';
import { CLUSTER_USERS, type ClusterUser, ensureCredentials, kubeconfigOf } from './cluster-credentials.ts';
import { CLUSTER_NETWORK, type ClusterPaths, clusterFolder, clusterPaths, writeState } from './cluster-folder.ts';
import {
  CLUSTER_PORTS,
  type ClusterPorts,
  type ClusterProgram,
  type ClusterTools,
  clusterFiles,
  clusterPrograms,
} from './cluster-programs.ts';
import { clusterStatus } from './cluster-status.ts';
import { writePauseImage } from './pause-image.ts';

export interface ClusterOptions extends ResolveOptions {
  readonly env: Env;
  readonly report: Reporter;
}

const START_DEADLINE_MS = 120_000;

/**
 * Brings up a cluster of one node on this machine, or finds the one that is up. What it starts goes on when this process ends.
 * @returns the path of the kubeconfig of its administrator
 * @throws FairleadError UNAVAILABLE with what the machine lacks, or the program that does not start and its log
 */
export async function bringUp(options: ClusterOptions): Promise<string> {
  requireMachine();
  const paths = clusterPaths(clusterFolder(options.env));
  await makePrivateFolder(paths.folder);
  const lock = await waitForLock(join(paths.folder, 'cluster.lock'), (pid) =>
    options.report.line(`Process ${pid} brings the cluster up or down, waiting`),
  );
  try {
    if ((await clusterStatus(paths)).isUp) return paths.kubeconfig;
    const tools = await clusterTools(options);
    await bringDown(paths, tools);
    await options.report.work('Cluster: starting', '30 s', () => startAll(paths, tools));
    return paths.kubeconfig;
  } finally {
    await lock.release();
  }
}

/** @throws FairleadError UNAVAILABLE with why this machine can have no node */
function requireMachine(): void {
  const lacks =
    process.platform !== 'linux'
      ? 'it needs Linux'
      : process.getuid?.() === 0
        ? null
        : 'it needs root: a node makes networks and mounts';
  if (lacks !== null) throw new FairleadError('UNAVAILABLE', `a cluster cannot run on this machine: ${lacks}`);
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
  const processes: Record<string, number> = {};
  try {
    await writeState(paths, { ports, processes });
    await prepare(paths, tools, ports);
    for (const program of clusterPrograms(paths, tools, ports)) {
      const started = await start(program, paths, tools);
      processes[program.name] = started.pid;
      await writeState(paths, { ports, processes });
      await until(program.name, paths, started, () => serves(program, paths, tools, ports));
    }
  } catch (error) {
    await bringDown(paths, tools);
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
  const ip = (...args: readonly string[]) => runProgram(busyboxOf(tools), ['ip', ...args]);
  const { bridge, nodeAddress, podRange } = CLUSTER_NETWORK;
  await ip('link', 'add', bridge, 'type', 'bridge');
  await ip('addr', 'add', `${nodeAddress}/${podRange.split('/')[1]}`, 'dev', bridge);
  await ip('link', 'set', bridge, 'up');
}

export function busyboxOf({ containerd: path }: Pick<ClusterTools, 'containerd'>): string {
  return join(dirname(path), NODE_PLACES.busybox);
}

async function start(
  program: ClusterProgram,
  { logs, folder }: ClusterPaths,
  tools: ClusterTools,
): Promise<{ readonly pid: number; readonly child: ChildProcess }> {
  const log = openSync(join(logs, `${program.name}.log`), 'w', 0o600);
  const PATH = [dirname(tools.containerd), process.env.PATH].join(delimiter);
  // A session of its own: it stays when the terminal goes.
  const stdio = ['ignore', log, log] as const;
  const child = spawn(program.command, [...program.args], {
    ...{ cwd: folder, detached: true, stdio: [...stdio] },
    env: { ...process.env, PATH },
  });
  closeSync(log);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
  if (child.pid === undefined) throw new Error(`${program.name} has no process`);
  return { pid: child.pid, child };
}

/** Whether a program does what the next one needs of it. */
async function serves(
  { name }: ClusterProgram,
  paths: ClusterPaths,
  tools: ClusterTools,
  ports: ClusterPorts,
): Promise<boolean> {
  if (name === 'containerd') return await takesPauseImage(paths, tools);
  if (name === 'kube-apiserver') return await apiServerAnswers(paths, ports.apiserver);
  if (name === 'kubelet') return await isNodeReady(paths, ports.apiserver);
  // The others wait for whom they need.
  return true;
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
  { child }: { readonly child: ChildProcess },
  isDone: () => Promise<boolean>,
): Promise<void> {
  const log = join(logs, `${name}.log`);
  const deadline = performance.now() + START_DEADLINE_MS;
  while (!(await isDone())) {
    const last = async (): Promise<string> => (await readFile(log, 'utf8')).trim().split('\n').slice(-3).join(' | ');
    if (child.exitCode !== null)
      throw new Error(`${name} ended with ${child.exitCode}; its log is ${log}: ${await last()}`);
    if (performance.now() > deadline) {
      throw new Error(`${name} does not serve after ${START_DEADLINE_MS / 1000} s; its log is ${log}: ${await last()}`);
    }
    await delay(250);
  }
}
