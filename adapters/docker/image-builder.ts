import type Docker from 'dockerode';
import type { Clock } from '../../domain/clock.ts';
import type { BuildLimits } from '../../domain/deploys/build-limits.ts';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import type { ImageBuilder } from '../../domain/deploys/image-builder.ts';
import { freeBytes as freeBytesOf } from '../free-bytes.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import type { BaseImages } from './base-images.ts';
import { createBuildBounds } from './build-bounds/build-bounds.ts';
import type { Cgroups } from './build-bounds/cgroups.ts';
import type { BuildEngine } from './build-engine/build-engine.ts';
import { type BuildImageOptions, buildImage } from './build-image.ts';
import type { BuildNetwork } from './build-network.ts';
import type { DockerCli } from './docker-cli.ts';
import { engineError } from './docker-client.ts';
import { createEngineInfo, type EngineInfo } from './engine-info.ts';
import { inspectImage } from './inspect-image.ts';
import { pruneBaseImages } from './prune-base-images.ts';
import { pruneImages } from './prune-images.ts';
import { pushImage } from './push-image.ts';
import { readImageFile } from './read-image-file.ts';
import { type RegistryAuth, registryHost } from './registry-auth.ts';
import { type BuildProxyAccess, createBuildRelay } from './relay/build-relay.ts';

export interface ImageBuilderOptions {
  /** The machine's engine. */
  readonly docker: Docker;
  /** The stack's own engine of builds; null where it has none, and builds run in the machine's. */
  readonly buildEngine: BuildEngine | null;
  readonly cli: DockerCli;
  readonly registry: RegistryAuth;
  /** Base images of an engine. */
  readonly baseImages: (docker: Docker) => BaseImages;
  /** Label value that separates stacks on one engine. */
  readonly stackId: string;
  /** Environment of the docker client (PATH, HOME, DOCKER_HOST, proxies); never secrets. */
  readonly env: ProcessEnv;
  readonly buildNetwork?: BuildNetwork | undefined;
  /** How RUN steps reach the proxy of builds; null where there is none. */
  readonly buildProxy: BuildProxyAccess | null;
  /** Build cache above this is given back by `prune`; default 10 GiB. */
  readonly cacheLimitBytes?: number;
  /** What RUN steps may use. */
  readonly limits: BuildLimits;
  /** By which they are held to it; null where this process cannot. */
  readonly cgroups: Cgroups | null;
  readonly now: Clock;
  /** Told what `prune` had to leave, and what RUN steps reach past the proxy. */
  readonly onWarning: (message: string) => void;
}

/** The engine that builds and pushes, and how. */
type Placed = Pick<BuildImageOptions, 'docker' | 'env' | 'cli' | 'relay' | 'baseImages'>;

/** The image builder on a Docker engine: the stack's own engine of builds, or the machine's. */
export function createImageBuilder(options: ImageBuilderOptions): ImageBuilder {
  const { docker, buildEngine } = options;
  const place = buildEngine === null ? onMachine(options) : inEngine(buildEngine, options);
  const machineInfo = createEngineInfo(docker);
  const engineInfo = buildEngine === null ? machineInfo : createEngineInfo(buildEngine.docker);
  const bound = createBuildBounds({ ...options, engineInfo, hasOwnEngine: buildEngine !== null });
  const freeBytes = () => freeImageBytes(machineInfo);
  const building = { ...options, engineInfo, bound, freeBytes };
  return {
    mounts: buildsByBuildKit(options),
    build: async (input, context) => buildImage(input, context, { ...building, ...(await place(context)) }),
    readText: async (tag, path, limitBytes, signal) => {
      const { docker: builtIn } = await place({ signal, onLine: () => undefined });
      return await readImageFile(tag, path, limitBytes, { ...options, docker: builtIn, signal });
    },
    push: async (tag, context) => {
      const { docker: builtIn } = await place(context);
      // A version without an engine of builds may have built it in the machine's.
      const has = await hasImage(builtIn, tag);
      return await pushImage(tag, context, { ...options, docker: has ? builtIn : docker });
    },
    prune: async (isNeeded, signal) => {
      const removed = new Set<string>();
      let reclaimedBytes = 0;
      const prune = async (each: Docker): Promise<void> => {
        const pruned = await pruneImages(isNeeded, signal, { ...options, docker: each, workloads: docker });
        for (const name of pruned.removed) removed.add(name);
        reclaimedBytes += pruned.reclaimedBytes;
      };
      // First: what it gives back may be the space in which the engine of builds can start.
      await prune(docker);
      if (buildEngine !== null && (await buildEngine.wasStarted())) {
        const { docker: engine } = await buildEngine.open({ signal, onLine: () => undefined });
        await prune(engine);
        for (const name of await pruneBaseImages(engine, { ...options, signal })) removed.add(name);
      }
      return { removed: [...removed], reclaimedBytes };
    },
    freeBytes,
  };
}

/** In the machine's engine only the legacy builder has a network without a way past the proxy. */
function buildsByBuildKit({ cli, buildEngine, buildNetwork }: ImageBuilderOptions): boolean {
  return cli.buildkit && (buildEngine !== null || buildNetwork !== 'sealed');
}

/** In the machine's engine, whose BuildKit gives RUN steps the default bridge, the machine's network, or none. */
function onMachine(options: ImageBuilderOptions): (context: EffectContext) => Promise<Placed> {
  const { docker, env, stackId, buildProxy: access, registry, onWarning } = options;
  const cli = { ...options.cli, buildkit: buildsByBuildKit(options) };
  const network = cli.buildkit ? 'bridge' : 'none';
  const relay =
    access === null
      ? null
      : createBuildRelay({ docker, stackId, access, network, registry: registryHost(registry), onWarning });
  const placed = { docker, env, cli, relay, baseImages: options.baseImages(docker) };
  return async () => placed;
}

function inEngine(engine: BuildEngine, options: ImageBuilderOptions): (context: EffectContext) => Promise<Placed> {
  const baseImages = options.baseImages(engine.docker);
  return async (context) => {
    const { docker, address, relay } = await engine.open(context);
    const env = { ...options.env, DOCKER_HOST: address };
    return { docker, env, cli: options.cli, relay: async () => relay, baseImages };
  };
}

async function hasImage(docker: Docker, name: string): Promise<boolean> {
  const found = await inspectImage(docker, name).catch((error: unknown) => {
    throw engineError(error, `Looking for image ${name}`, 'UNAVAILABLE', { retryable: true });
  });
  return found !== null;
}

/** Free bytes where the engine keeps its images; the largest number when the engine's disk is not this machine's. */
async function freeImageBytes(engineInfo: () => Promise<EngineInfo>): Promise<number> {
  const { rootDirectory } = await engineInfo().catch((error: unknown) => {
    throw engineError(error, 'Asking the engine for its data folder', 'UNAVAILABLE', { retryable: true });
  });
  try {
    return await freeBytesOf(rootDirectory);
  } catch {
    return Number.MAX_SAFE_INTEGER;
  }
}
