import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bringDown, mountsBelow } from '../../../infra/dev/cluster/bring-down.ts';
import { clusterPaths, readState, writeState } from '../../../infra/dev/cluster/cluster-folder.ts';
import { processesOf } from '../../../infra/dev/cluster/cluster-processes.ts';
import {
  CLUSTER_PORTS,
  type ClusterPorts,
  clusterFiles,
  clusterPrograms,
} from '../../../infra/dev/cluster/cluster-programs.ts';
import { clusterStatus } from '../../../infra/dev/cluster/cluster-status.ts';
import { removeTraces } from '../../../infra/dev/cluster/kubelet-traces.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { mainModule } from '../../../infra/dev/tools/kubernetes.ts';
import { waitUntil } from '../../support/wait-until.ts';

const paths = clusterPaths('/var/lib/fairlead-cluster');
const tools = { etcd: '/c/etcd/etcd', containerd: '/c/containerd/containerd', kubeApiserver: '/c/k8s/kube-apiserver' };
const ports = Object.fromEntries(CLUSTER_PORTS.map((name, index) => [name, 21_000 + index])) as ClusterPorts;

test('each program of a cluster names its folder, by which its process is known, and listens on the loopback or the node', () => {
  const programs = clusterPrograms(paths, tools, ports);
  assert.deepEqual(
    programs.map(({ name }) => name),
    ['etcd', 'containerd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'],
  );
  for (const { name, args } of programs)
    assert.ok(
      args.some((arg) => arg.includes(`${paths.folder}/`)),
      name,
    );
  const text = JSON.stringify([programs, clusterFiles(paths, tools, ports)]);
  for (const [address] of text.matchAll(/\b(?:\d{1,3}\.){3}\d{1,3}(?=[:"/])/g)) {
    assert.ok(/^(127\.0\.0\.1|10\.9[89]\.0\.[01]|0\.0\.0\.0)$/.test(address), address);
  }
  // Programs refuse a port that they are to choose themselves.
  assert.doesNotMatch(text, /127\.0\.0\.1:0\b/);
  assert.doesNotMatch(text, /bind-address=0\.0\.0\.0|"address": "0\.0\.0\.0"/);
});

test('Kubernetes is built with its libraries as they are published', () => {
  const of = `module k8s.io/kubernetes

go 1.24.0

godebug default=go1.24

require (
	k8s.io/api v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/kubectl => ./staging/src/k8s.io/kubectl
)
`;
  assert.deepEqual(mainModule(of).split('\n'), [
    'module build',
    'go 1.24.0',
    'godebug default=go1.24',
    'require k8s.io/kubernetes v1.34.4',
    'replace k8s.io/api => k8s.io/api v0.34.4',
    'replace k8s.io/kubectl => k8s.io/kubectl v0.34.4',
    '',
  ]);
});

test('down ends the processes of its folder alone, also those of a start that was killed, and takes its data away', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-cluster-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const own = clusterPaths(folder);
  const running = (argv0: string, place: string) => {
    const child = spawn('/bin/sh', ['-c', 'while :; do sleep 1; done', `${place}/x`], { argv0, stdio: 'ignore' });
    t.after(() => child.kill('SIGKILL'));
    return child;
  };
  const ours = running('/c/etcd', folder);
  // Of another cluster, and one that only reads a file of this one.
  const others = [running('/c/etcd', '/elsewhere'), running('/bin/tail', folder)];
  await waitUntil('the process', async () => (await processesOf('etcd', own)).length === 1);
  await writeFile(own.kubeconfig, '{}');
  await writeState(own, { ports: {}, kernel: {} });
  assert.equal((await clusterStatus(own)).isUp, false);
  const ended = once(ours, 'exit');
  await bringDown(own, null, silentReporter);
  await ended;
  assert.deepEqual(
    others.map(({ exitCode, signalCode }) => [exitCode, signalCode]),
    Array(2).fill([null, null]),
  );
  assert.equal(await readState(own), null);
  assert.deepEqual(await clusterStatus(own), { isUp: false, lines: ['No cluster is up.'] });
  assert.deepEqual(await mountsBelow(folder), []);
  await bringDown(own, null, silentReporter);
});

test('of a folder that is not there, down makes none', async () => {
  const folder = join(tmpdir(), `fairlead-no-cluster-${process.pid}`);
  await bringDown(clusterPaths(folder), null, silentReporter);
  assert.equal(existsSync(folder), false);
});

test('what a kubelet keeps elsewhere is taken away where it is of the cluster, and nothing of a node of the machine', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-cluster-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const places = { devices: join(folder, 'kubelet'), logs: join(folder, 'containers') };
  const made = async () => {
    await mkdir(join(places.devices, 'device-plugins'), { recursive: true });
    await writeFile(join(places.devices, 'device-plugins', 'kubelet.sock'), '');
    await mkdir(places.logs, { recursive: true });
    await symlink('/cluster/kubelet/pod-logs/a/0.log', join(places.logs, 'a.log'));
  };
  await made();
  await removeTraces({ folder: '/cluster' }, places);
  assert.deepEqual(await readdir(folder), []);
  await made();
  await writeFile(join(places.devices, 'config.yaml'), '');
  await symlink('/var/log/pods/b/0.log', join(places.logs, 'b.log'));
  await removeTraces({ folder: '/cluster' }, places);
  assert.deepEqual((await readdir(places.devices)).sort(), ['config.yaml', 'device-plugins']);
  assert.deepEqual(await readdir(places.logs), ['b.log']);
});
