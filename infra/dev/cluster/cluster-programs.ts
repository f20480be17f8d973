import { dirname, join } from 'node:path';
import { PROCESS_LIMIT } from '../../../adapters/docker/container-options.ts';
import { NODE_PLACES } from '../tools/containerd.ts';
import { KUBERNETES_PROGRAMS } from '../tools/kubernetes.ts';
import { CLUSTER_NETWORK, type ClusterPaths, NODE_NAME } from './cluster-folder.ts';
import { PAUSE_IMAGE } from './pause-image.ts';

/** Where the programs of a cluster are on this machine. */
export interface ClusterTools {
  readonly etcd: string;
  readonly containerd: string;
  readonly kubeApiserver: string;
}

export type ClusterPorts = Readonly<Record<ClusterPort, number>>;

export const CLUSTER_PORTS = [
  'etcd',
  'etcdPeers',
  'apiserver',
  'controllers',
  'scheduler',
  'kubelet',
  'proxyHealth',
  'proxyMetrics',
] as const;
export type ClusterPort = (typeof CLUSTER_PORTS)[number];

/** In the order of their start. */
export const CLUSTER_PROGRAMS = ['etcd', 'containerd', ...KUBERNETES_PROGRAMS] as const;

export interface ClusterProgram {
  readonly name: (typeof CLUSTER_PROGRAMS)[number];
  readonly command: string;
  readonly args: readonly string[];
}

/** The programs in the order of their start. Each names the folder in an argument, by which its process is known. */
export function clusterPrograms(paths: ClusterPaths, tools: ClusterTools, ports: ClusterPorts): ClusterProgram[] {
  const { pki, config } = paths;
  const of = (name: string): string => join(dirname(tools.kubeApiserver), name);
  const file = (name: string): string => join(pki, name);
  const kubeconfig = (name: string): string => `--kubeconfig=${join(config, `${name}.kubeconfig`)}`;
  const loopback = '--bind-address=127.0.0.1';
  return [
    { name: 'etcd', command: tools.etcd, args: etcdArgs(paths, ports) },
    { name: 'containerd', command: tools.containerd, args: ['--config', join(config, 'containerd.toml')] },
    { name: 'kube-apiserver', command: tools.kubeApiserver, args: apiServerArgs(paths, ports) },
    {
      name: 'kube-controller-manager',
      command: of('kube-controller-manager'),
      args: [
        ...[kubeconfig('kube-controller-manager'), loopback, `--secure-port=${ports.controllers}`],
        ...[`--service-account-private-key-file=${file('service-accounts.key')}`, `--root-ca-file=${file('ca.pem')}`],
        ...['--use-service-account-credentials', '--leader-elect=false', '--allocate-node-cidrs=false'],
      ],
    },
    {
      name: 'kube-scheduler',
      command: of('kube-scheduler'),
      args: [kubeconfig('kube-scheduler'), loopback, `--secure-port=${ports.scheduler}`, '--leader-elect=false'],
    },
    {
      name: 'kubelet',
      command: of('kubelet'),
      args: [
        ...[kubeconfig('kubelet'), `--config=${join(config, 'kubelet.json')}`, `--root-dir=${paths.kubelet}`],
        ...[`--hostname-override=${NODE_NAME}`, `--node-ip=${CLUSTER_NETWORK.nodeAddress}`],
      ],
    },
    { name: 'kube-proxy', command: of('kube-proxy'), args: [`--config=${join(config, 'kube-proxy.json')}`] },
  ];
}

function etcdArgs({ etcd }: ClusterPaths, ports: ClusterPorts): string[] {
  const [client, peers] = [`http://127.0.0.1:${ports.etcd}`, `http://127.0.0.1:${ports.etcdPeers}`];
  return [
    ...['--name', NODE_NAME, '--data-dir', `${etcd}/data`, '--log-level', 'warn'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
    ...['--initial-cluster', `${NODE_NAME}=${peers}`],
    // A cluster for tests need not outlast a power cut.
    '--unsafe-no-fsync',
  ];
}

function apiServerArgs({ pki }: ClusterPaths, ports: ClusterPorts): string[] {
  const file = (name: string): string => join(pki, name);
  return [
    ...['--bind-address=127.0.0.1', `--secure-port=${ports.apiserver}`],
    ...[`--advertise-address=${CLUSTER_NETWORK.nodeAddress}`, `--etcd-servers=http://127.0.0.1:${ports.etcd}`],
    ...[`--service-cluster-ip-range=${CLUSTER_NETWORK.serviceRange}`, `--token-auth-file=${file('tokens.csv')}`],
    ...['--authorization-mode=Node,RBAC', '--enable-admission-plugins=NodeRestriction', '--anonymous-auth=false'],
    ...[`--tls-cert-file=${file('apiserver.pem')}`, `--tls-private-key-file=${file('apiserver.key')}`],
    `--client-ca-file=${file('ca.pem')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('service-accounts.pub')}`,
    `--service-account-signing-key-file=${file('service-accounts.key')}`,
    `--kubelet-client-certificate=${file('apiserver-to-kubelet.pem')}`,
    `--kubelet-client-key=${file('apiserver-to-kubelet.key')}`,
    `--kubelet-certificate-authority=${file('ca.pem')}`,
    ...['--kubelet-preferred-address-types=InternalIP', '--allow-privileged=true'],
  ];
}

/** Text of each file of settings, by its name in the folder of settings. */
export function clusterFiles(paths: ClusterPaths, tools: ClusterTools, ports: ClusterPorts): Record<string, string> {
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  return {
    'containerd.toml': containerdSettings(paths, tools),
    'kubelet.json': json(kubeletSettings(paths, ports)),
    'kube-proxy.json': json({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      clientConnection: { kubeconfig: join(paths.config, 'kube-proxy.kubeconfig') },
      hostnameOverride: NODE_NAME,
      mode: 'iptables',
      clusterCIDR: CLUSTER_NETWORK.podRange,
      // Else the kernel would take packets for the loopback from everywhere.
      iptables: { localhostNodePorts: false },
      healthzBindAddress: `127.0.0.1:${ports.proxyHealth}`,
      metricsBindAddress: `127.0.0.1:${ports.proxyMetrics}`,
      // The machine's own limits stay.
      conntrack: { maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    }),
    'network.conflist': json({
      cniVersion: '1.0.0',
      name: NODE_NAME,
      plugins: [
        {
          type: 'bridge',
          bridge: CLUSTER_NETWORK.bridge,
          isGateway: true,
          hairpinMode: true,
          ipam: {
            type: 'host-local',
            ranges: [[{ subnet: CLUSTER_NETWORK.podRange, gateway: CLUSTER_NETWORK.nodeAddress }]],
            routes: [{ dst: '0.0.0.0/0' }],
            dataDir: join(paths.cni, 'addresses'),
          },
        },
      ],
    }),
  };
}

function containerdSettings({ containerd, socket, cni }: ClusterPaths, tools: ClusterTools): string {
  const programs = dirname(tools.containerd);
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${containerd}/root"
state = "${containerd}/state"
[grpc]
address = "${socket}"
[${cri}]
sandbox_image = "${PAUSE_IMAGE}"
# Without it a sandbox cannot start where this process may not lower scores itself.
restrict_oom_score_adj = true
netns_mounts_under_state_dir = true
[${cri}.cni]
bin_dir = "${join(programs, NODE_PLACES.plugins)}"
conf_dir = "${cni}/conf"
[${cri}.containerd]
default_runtime_name = "runc"
[${cri}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[${cri}.containerd.runtimes.runc.options]
BinaryName = "${join(programs, 'runc')}"
Root = "${containerd}/runc"
`;
}

function kubeletSettings({ pki, socket, kubelet }: ClusterPaths, { kubelet: port }: ClusterPorts): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: CLUSTER_NETWORK.nodeAddress,
    port,
    readOnlyPort: 0,
    healthzPort: 0,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(pki, 'ca.pem') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: join(pki, 'kubelet.pem'),
    tlsPrivateKeyFile: join(pki, 'kubelet.key'),
    containerRuntimeEndpoint: `unix://${socket}`,
    cgroupDriver: 'cgroupfs',
    failSwapOn: false,
    enforceNodeAllocatable: [],
    // The disk is the machine's: what else fills it does not drive pods away.
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    // Never: else it removes images that no pod uses at the moment, that of all sandboxes among them, which nothing can pull again.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    serializeImagePulls: false,
    // As many as a workload may have on the container engine; no pod asks for it.
    podPidsLimit: PROCESS_LIMIT,
    // All that pods have lies in the folder.
    podLogsDir: join(kubelet, 'pod-logs'),
    volumePluginDir: join(kubelet, 'volume-plugins'),
    // Chains of its own that nothing here needs.
    makeIPTablesUtilChains: false,
  };
}
