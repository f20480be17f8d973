import type Docker from 'dockerode';
import type { BuildLimits } from '../../domain/deploys/build-limits.ts';
import type { ImageBuilder } from '../../domain/deploys/ports.ts';
import { freeBytes as freeBytesOf } from '../free-bytes.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import type { BaseImages } from './base-images.ts';
import { createBuildBounds } from './build-bounds/build-bounds.ts';
import type { Cgroups } from './build-bounds/cgroups.ts';
import { buildImage } from './build-image.ts';
import type { BuildNetwork } from './build-network.ts';
import type { DockerCli } from './docker-cli.ts';
import { engineError } from './docker-client.ts';
import { createEngineInfo, type EngineInfo } from './engine-info.ts';
import { pruneImages } from './prune-images.ts';
import { pushImage } from './push-image.ts';
import type { RegistryAuth } from './registry-auth.ts';
import { type BuildProxyAccess, createBuildRelay } from './relay/build-relay.ts';

export interface ImageBuilderOptions {
  readonly docker: Docker;
  readonly cli: DockerCli;
  readonly registry: RegistryAuth;
  readonly baseImages: BaseImages;
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
  /** Told what `prune` had to leave, and what RUN steps reach past the proxy. */
  readonly onWarning: (message: string) => void;
}

/** The image builder on a Docker engine. */
export function createImageBuilder(options: ImageBuilderOptions): ImageBuilder {
  const engineInfo = createEngineInfo(options.docker);
  // BuildKit in the engine gives RUN steps the default bridge, the machine's network, or none.
  const cli = { ...options.cli, buildkit: options.cli.buildkit && options.buildNetwork !== 'sealed' };
  const engineRoot = () => engineInfo().then(({ rootDirectory }) => rootDirectory);
  const bound = createBuildBounds({ ...options, engineRoot });
  const freeBytes = () => freeImageBytes(engineInfo);
  const building = { ...options, cli, engineInfo, bound, freeBytes, relay: composeRelay(cli, options) };
  return {
    build: (input, context) => buildImage(input, context, building),
    push: (tag, context) => pushImage(tag, context, options),
    prune: (isNeeded, signal) => pruneImages(isNeeded, signal, options),
    freeBytes,
  };
}

function composeRelay({ buildkit }: DockerCli, options: ImageBuilderOptions) {
  const { docker, stackId, buildProxy: access, onWarning } = options;
  if (access === null) return null;
  return createBuildRelay({ docker, stackId, access, network: buildkit ? 'bridge' : 'none', onWarning });
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
