import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { ContainerInspectInfo } from 'dockerode';
import type { EffectContext } from '../../../domain/deploys/effect-context.ts';
import { createMutex } from '../../../domain/mutex.ts';
import { createDockerClient, engineError, engineStatus, saysDiskFull } from '../docker-client.ts';
import { createEngineInfo, type EngineInfo } from '../engine-info.ts';
import { inspectContainer } from '../inspect-container.ts';
import { LABELS } from '../labels.ts';
import { decodeLogFrames } from '../log-frames.ts';
import type { RegistryAuth } from '../registry-auth.ts';
import { registryHost } from '../registry-auth.ts';
import { type BuildProxyAccess, type BuildRelay, createBuildRelay, STEP_PROXY_PORT } from '../relay/build-relay.ts';
import { removeContainer } from '../remove-container.ts';
import { buildEngineName } from '../workload-names.ts';
import { BRIDGE_ADDRESS, ENGINE_OPTIONS_LABEL, engineContainer, SOCKET_NAME } from './engine-container.ts';

const START_DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 50;
const ANSWER_WITHIN_MS = 5_000;
/** An engine that is told to stop ends its builds first. */
const STOP_GRACE_SECONDS = 5;

export interface BuildEngineOptions {
  /** The machine's engine. */
  readonly machine: Docker;
  /** Folders of this machine that hold its programs: see `findEnginePrograms`. */
  readonly programFolders: readonly string[];
  readonly stackId: string;
  /** The volume of its images and caches; by default one of the stack's own. No two engines may have the same. */
  readonly volume?: string | undefined;
  /** Folder of this machine for the engine's socket, which only this user may enter. */
  readonly folder: string;
  readonly registry: RegistryAuth;
  readonly access: BuildProxyAccess;
  readonly onWarning: (message: string) => void;
}

/** An engine of builds that runs. */
export interface RunningEngine {
  readonly docker: Docker;
  /** Value of DOCKER_HOST. */
  readonly address: string;
  /** Its relay, with the address of the proxy of RUN steps. */
  readonly relay: BuildRelay;
}

/** A stack's own engine, which builds, pulls base images and pushes, and whose network leads to the proxies of builds alone. */
export interface BuildEngine {
  /** Starts it when it does not run. @throws UNAVAILABLE, DISK_FULL, BASE_IMAGE_UNAVAILABLE, or the abort reason */
  open(context: EffectContext): Promise<RunningEngine>;
  /** The engine's connection, whether it runs or not. */
  readonly docker: Docker;
  /** True once it was started: its images and caches are on this machine, whether it runs or not. @throws UNAVAILABLE */
  wasStarted(): Promise<boolean>;
}

/**
 * An engine of builds in a container of the machine's engine. BuildKit gives RUN steps the default bridge of its engine and no
 * other network: here that bridge is in a network without a way out but the relay. Its images and caches are in a volume, and
 * outlive it. One that stopped, lost its network, or was made with other options is made anew.
 */
export function createBuildEngine(options: BuildEngineOptions): BuildEngine {
  const { machine, stackId, folder, registry, access, onWarning } = options;
  const exclusive = createMutex();
  const machineInfo = createEngineInfo(machine);
  const ensureRelay = createBuildRelay({
    ...{ docker: machine, stackId, access, network: 'engine', registry: registryHost(registry), onWarning },
  });
  const address = `unix://${join(folder, SOCKET_NAME)}`;
  const docker = createDockerClient(address);
  return {
    docker,
    open: (context) =>
      exclusive(stackId, async () => {
        const found = await ensureRelay(context);
        await ensureEngine(found, docker, context, { ...options, machineInfo });
        return { docker, address, relay: { ...found, proxyUrl: `http://${BRIDGE_ADDRESS}:${STEP_PROXY_PORT}` } };
      }),
    wasStarted: async () => {
      try {
        await machine.getVolume(volumeName(options)).inspect();
        return true;
      } catch (error) {
        if (engineStatus(error) === 404) return false;
        throw engineError(error, 'Looking for the volume of the engine of builds', 'UNAVAILABLE', { retryable: true });
      }
    },
  };
}

async function ensureEngine(
  relay: BuildRelay,
  docker: Docker,
  context: EffectContext,
  options: BuildEngineOptions & { readonly machineInfo: () => Promise<EngineInfo> },
): Promise<void> {
  const { machine, machineInfo, stackId, access } = options;
  context.signal.throwIfAborted();
  try {
    const name = buildEngineName(stackId);
    const image = await access.image(context);
    const [found, volume, { registries }] = await Promise.all([
      inspectContainer(machine, name),
      ensureVolume(machine, options),
      machineInfo(),
    ]);
    const wanted = engineContainer({
      ...{ stackId, image, volume, registries, relay, folders: options.programFolders },
      ...{ socketFolder: options.folder, groupId: process.getgid?.() ?? 0 },
    });
    if (found !== null && isUsable(found, wanted.Labels?.[ENGINE_OPTIONS_LABEL])) {
      // Another worker may be starting it; and builds run in one that is only slow to answer.
      const inUse = { container: machine.getContainer(found.Id), docker, signal: context.signal };
      if ((await problemOfStart(inUse)) === null) return;
    }
    if (found !== null) await removeContainer(machine, found.Id, found.State.Running ? STOP_GRACE_SECONDS : 0);
    await makeFolder(options.folder);
    context.onLine('Starting the engine of builds');
    const container = await machine.createContainer({ ...wanted, name });
    await container.start();
    const problem = await problemOfStart({ container, docker, signal: context.signal });
    if (problem !== null) throw new Error(problem);
  } catch (error) {
    context.signal.throwIfAborted();
    // 409: another worker makes it at this moment.
    throw engineError(error, 'Starting the engine of builds', 'UNAVAILABLE', { retryable: true });
  }
}

function isUsable({ State, Config }: ContainerInspectInfo, options: string | undefined): boolean {
  return State.Running && Config.Labels[ENGINE_OPTIONS_LABEL] === options;
}

const volumeName = ({ volume, stackId }: BuildEngineOptions): string => volume ?? buildEngineName(stackId);

/** The volume of the engine's images and caches. Idempotent by its name. One that the operator named is not the stack's to remove. */
async function ensureVolume(machine: Docker, options: BuildEngineOptions): Promise<{ name: string; path: string }> {
  const name = volumeName(options);
  await machine.createVolume({
    Name: name,
    Labels: options.volume === undefined ? { [LABELS.stack]: options.stackId } : {},
  });
  return { name, path: (await machine.getVolume(name).inspect()).Mountpoint };
}

/** For this user alone, and for the engine, which is root: who uses the socket is root on this machine. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Waits until an engine answers. @returns null then, else why it does not. @throws the abort reason, errors of the engine */
async function problemOfStart({
  container,
  docker,
  signal,
}: {
  readonly container: Docker.Container;
  readonly docker: Docker;
  readonly signal: AbortSignal;
}): Promise<string | null> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(START_DEADLINE_MS)]);
  for (;;) {
    if (await answers(docker)) return null;
    const { State } = await container.inspect();
    if (!State.Running || deadline.aborted) {
      signal.throwIfAborted();
      const said = decodeLogFrames(await container.logs({ stdout: true, stderr: true, follow: false })).trim();
      const why = State.Running ? `it did not answer within ${START_DEADLINE_MS / 1000} s` : 'it ended as it began';
      // What it says last may be what follows from a full disk.
      const cause = said.split('\n').find(saysDiskFull) ?? said;
      return `${why}: ${cause.slice(-500)}`;
    }
    await delay(LOOK_EVERY_MS);
  }
}

async function answers(docker: Docker): Promise<boolean> {
  const late = delay(ANSWER_WITHIN_MS, false, { ref: false });
  return await Promise.race([late, docker.ping().then(isTrue, isFalse)]);
}

const isTrue = () => true;
const isFalse = () => false;
