import { join } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { startingGroup } from '../build-bounds/build-groups.ts';
import type { EngineRegistries } from '../engine-info.ts';
import { LABELS } from '../labels.ts';
import { optionsDigest } from '../options-digest.ts';
import { ENGINE_PROXY_PORT } from '../relay/build-relay.ts';

/** The address of the engine's bridge, and so of the relay for RUN steps. The network is the container's own. */
export const BRIDGE_ADDRESS = '172.17.0.1';
/** The label by which an engine of other options is told, such as those of an earlier version. */
export const ENGINE_OPTIONS_LABEL = 'fairlead.engine-options';

/** Found before the machine's. */
const OWN_PROGRAMS = join(import.meta.dirname, 'programs');
const PROGRAM_FOLDER = '/run/programs';
const SOCKET_FOLDER = '/run/fairlead';
export const SOCKET_NAME = 'docker.sock';

/** Where a stack's engine of builds has its socket. */
export const engineFolder = (dataDirectory: string): string => join(dataDirectory, 'build-engine');

/** What an engine needs besides what its own containers may do; less than `--privileged`, and no device of the machine. */
const CAPABILITIES = ['SYS_ADMIN', 'NET_ADMIN', 'SYS_PTRACE'];

/** The worker knows the control groups of steps by their paths on the machine. The client's types lack the field. */
const SHARED_NAMESPACES = { CgroupnsMode: 'host' };

/** What comes in from the bridge for the loopback, which the engine's own routing would let through (`route_localnet`). */
const TO_LOOPBACK = 'INPUT ! -i lo -d 127.0.0.0/8 -j DROP';
const START = [
  // Addresses that the relay gives names: see relay-program.mjs.
  'ip route replace local 198.18.0.0/15 dev lo',
  `{ iptables --wait -C ${TO_LOOPBACK} 2> /dev/null || iptables --wait -I ${TO_LOOPBACK}; }`,
  'exec dockerd "$@"',
].join(' && ');

/** It sets up networks and mounts by them. */
const ALL_SYSTEM_PATHS = { MaskedPaths: [], ReadonlyPaths: [] };

export interface EngineContainerFacts {
  readonly stackId: string;
  readonly image: string;
  /** Folders of this machine that hold the programs. */
  readonly folders: readonly string[];
  /** Folder of this machine in which the socket is made. */
  readonly socketFolder: string;
  /** Group whose members may use the socket. */
  readonly groupId: number;
  /** The volume of images and caches, and where this machine has its files: the engine sees them by the same path. */
  readonly volume: { readonly name: string; readonly path: string };
  /** The relay, whose network it shares; an engine that joined an earlier one of its networks has lost it. */
  readonly relay: { readonly containerId: string; readonly startedAt: Date };
  /** What the operator set in the machine's engine. */
  readonly registries: EngineRegistries;
}

/**
 * The container of a stack's engine of builds. It has the network of the relay: a loopback, and the bridge that the engine
 * makes for RUN steps, which do not reach each other. So the relay is their only way out.
 */
export function engineContainer(facts: EngineContainerFacts): ContainerCreateOptions {
  const { stackId, image, folders, socketFolder, volume, relay } = facts;
  const proxy = `http://127.0.0.1:${ENGINE_PROXY_PORT}`;
  const made: ContainerCreateOptions = {
    Image: image,
    User: '0:0',
    // The folders of the machine hide the engine's own init program.
    Entrypoint: ['docker-init', '--', 'sh', '-c', START, 'dockerd', ...engineFlags(facts)],
    Cmd: [],
    Env: [
      `PATH=${PROGRAM_FOLDER}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
      // The engine then leaves AppArmor to the machine's.
      'container=docker',
      ...[`HTTP_PROXY=${proxy}`, `HTTPS_PROXY=${proxy}`],
    ],
    HostConfig: {
      ...SHARED_NAMESPACES,
      NetworkMode: `container:${relay.containerId}`,
      CapAdd: CAPABILITIES,
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
      ...ALL_SYSTEM_PATHS,
      ReadonlyRootfs: true,
      Tmpfs: Object.fromEntries(['/run', '/tmp', '/etc/docker'].map((folder) => [folder, 'rw,nosuid,size=64m'])),
      Binds: [
        ...folders.map((folder) => `${folder}:${folder}:ro`),
        '/sys/fs/cgroup:/sys/fs/cgroup:rw',
        `${socketFolder}:${SOCKET_FOLDER}:rw`,
        `${OWN_PROGRAMS}:${PROGRAM_FOLDER}:ro`,
      ],
      Mounts: [{ Type: 'volume', Source: volume.name, Target: volume.path, ReadOnly: false }],
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  };
  const digest = optionsDigest([made, relay.startedAt]);
  return { ...made, Labels: { [LABELS.stack]: stackId, [ENGINE_OPTIONS_LABEL]: digest } };
}

function engineFlags({ stackId, volume, groupId, registries }: EngineContainerFacts): string[] {
  return [
    `--host=unix://${SOCKET_FOLDER}/${SOCKET_NAME}`,
    `--group=${groupId}`,
    `--data-root=${volume.path}`,
    // Among the groups of builds, and so within their limits and their share of the CPU before they are moved.
    `--cgroup-parent=/${startingGroup(stackId)}`,
    ...['--exec-root=/run/docker', '--pidfile=/run/docker.pid', '--exec-opt=native.cgroupdriver=cgroupfs'],
    ...[
      `--bip=${BRIDGE_ADDRESS}/16`,
      `--dns=${BRIDGE_ADDRESS}`,
      '--icc=false',
      '--ip-masq=false',
      '--userland-proxy=false',
    ],
    '--log-level=warn',
    ...registries.insecure.map((registry) => `--insecure-registry=${registry}`),
    ...registries.mirrors.map((mirror) => `--registry-mirror=${mirror}`),
  ];
}
