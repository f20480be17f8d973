import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bringDown, mountsBelow } from '../../../infra/dev/cluster/bring-down.ts';
import { clusterPaths, isOurs, readState, writeState } from '../../../infra/dev/cluster/cluster-folder.ts';
import {
  CLUSTER_PORTS,
  type ClusterPorts,
  clusterFiles,
  clusterPrograms,
} from '../../../infra/dev/cluster/cluster-programs.ts';
import { clusterStatus } from '../../../infra/dev/cluster/cluster-status.ts';
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

test('down ends the processes of its folder alone, and takes its data away; status says that nothing is up', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-cluster-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const own = clusterPaths(folder);
  const sleep = (place: string) =>
    spawn('/bin/sh', ['-c', 'while :; do sleep 1; done', `${place}/x`], { stdio: 'ignore' });
  const [ours, other] = [sleep(folder), sleep('/elsewhere')];
  t.after(() => other.kill('SIGKILL'));
  await waitUntil('the process', async () => isOurs(ours.pid ?? 0, own));
  await writeFile(own.kubeconfig, '{}');
  // An id that somebody else has by now.
  await writeState(own, { ports: {}, processes: { etcd: ours.pid ?? 0, kubelet: other.pid ?? 0 } });
  const ended = once(ours, 'exit');
  await bringDown(own, null);
  await ended;
  assert.equal(other.exitCode, null);
  assert.equal(other.signalCode, null);
  assert.equal(await readState(own), null);
  assert.deepEqual(await clusterStatus(own), { isUp: false, lines: ['No cluster is up.'] });
  assert.deepEqual(await mountsBelow(folder), []);
  await bringDown(own, null);
});
