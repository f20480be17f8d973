import { access } from 'node:fs/promises';
import type Docker from 'dockerode';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { runProcess } from '../process/run-process.ts';
import { LABELS, labelFilter } from './labels.ts';
import { decodeLogFrames } from './log-frames.ts';
import { removeContainer } from './remove-container.ts';

/** Runs a shell script in the network of this machine, with the right to set its firewall. @throws when it fails */
export type MachineShell = (script: string, signal: AbortSignal) => Promise<void>;

/** One a machine: programs that set the firewall wait for each other by it. iptables of kernels with nftables needs none. */
const FIREWALL_LOCK = '/run/xtables.lock';
const TASK = 'machine-shell';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** For a process that is root. */
export function rootShell(env: ProcessEnv): MachineShell {
  return async (script, signal) => {
    const { exitCode, stderr } = await runProcess('sh', ['-c', script], { cwd: '/', env: { ...env, PATH }, signal });
    if (exitCode !== 0) throw new Error(stderr.trim().slice(-500) || `it ended with ${exitCode}`);
  };
}

/** For others: a container of the engine that has the network and the programs of this machine. */
export function containerShell(options: {
  readonly docker: Docker;
  readonly stackId: string;
  /** Makes sure of an image. @returns its name */
  readonly image: (context: EffectContext) => Promise<string>;
  /** Folders of this machine that hold the programs. */
  readonly folders: readonly string[];
  /** A folder of this machine that scripts may write to, which the engine makes; default: none. */
  readonly writable?: string | null;
}): MachineShell {
  const { docker, stackId, folders, writable = null } = options;
  return async (script, signal) => {
    const image = await options.image({ signal, onLine: () => undefined });
    await removeLeftOver(docker, stackId);
    const hasLock = await access(FIREWALL_LOCK).then(isTrue, isFalse);
    const container = await docker.createContainer({
      ...{ Image: image, User: '0:0', Entrypoint: ['sh', '-c', script], Cmd: [], Env: [`PATH=${PATH}`] },
      Labels: { [LABELS.stack]: stackId, [LABELS.task]: TASK },
      HostConfig: {
        NetworkMode: 'host',
        CapDrop: ['ALL'],
        CapAdd: ['NET_ADMIN', 'NET_RAW'],
        ReadonlyRootfs: true,
        Tmpfs: { '/run': 'rw,nosuid,size=1m' },
        Binds: [
          ...folders.map((folder) => `${folder}:${folder}:ro`),
          ...(hasLock ? [`${FIREWALL_LOCK}:${FIREWALL_LOCK}:rw`] : []),
          ...(writable === null ? [] : [`${writable}:${writable}:rw`]),
        ],
      },
    });
    try {
      await container.start();
      const { StatusCode } = await container.wait({ abortSignal: signal });
      if (StatusCode === 0) return;
      const logs = await container.logs({ stdout: true, stderr: true, follow: false, tail: 20 });
      throw new Error(decodeLogFrames(logs).trim().slice(-500) || `it ended with ${StatusCode}`);
    } finally {
      await removeContainer(docker, container.id, 0);
    }
  };
}

/** Of workers that were killed before they removed their container. */
async function removeLeftOver(docker: Docker, stackId: string): Promise<void> {
  const filters = { ...labelFilter(stackId, { [LABELS.task]: TASK }), status: ['exited'] };
  for (const { Id: id } of await docker.listContainers({ all: true, filters })) await removeContainer(docker, id, 0);
}

const isTrue = () => true;
const isFalse = () => false;
