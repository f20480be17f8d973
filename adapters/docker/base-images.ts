import type Docker from 'dockerode';
import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { FairleadError } from '../../domain/errors.ts';
import { engineError, engineMessage } from './docker-client.ts';
import { parseImageName } from './image-name.ts';
import { inspectImage, taggedAt } from './inspect-image.ts';
import { STAND_IN_LABEL, STAND_IN_NOTE_LABEL } from './labels.ts';
import { followProgress } from './progress.ts';
import { type RegistryAuth, registryAuthFor } from './registry-auth.ts';
import type { StandIns } from './stand-ins/stand-in-images.ts';

/** A pull that shows no progress for this long is given up. */
const STALLED_MS = 20_000;
/** For how long a failed pull is not tried again, so that a redeploy does not wait for it. */
const REMEMBER_FAILURE_MS = 5 * 60_000;
/** A stand-in older than this makes way for the official image, if that can be pulled by now. */
const TRY_OFFICIAL_AFTER_MS = 24 * 60 * 60_000;

export interface BaseImagesOptions {
  readonly docker: Docker;
  /** Null: images that cannot be pulled are an error. */
  readonly standIns: StandIns | null;
  readonly registry: RegistryAuth;
  /** Names of images that may lie in the engine alone. */
  readonly localImages?: readonly string[] | undefined;
  /** Brings one of those from the machine's engine, where this is another one. */
  readonly bringLocal?: (name: string, signal: AbortSignal) => Promise<void>;
  readonly now: Clock;
}

export interface BaseImage {
  readonly name: string;
  readonly isStandIn: boolean;
  /** What the image makes of a container file that builds on it. */
  readonly onBuild: readonly string[];
  /** Such as `linux/amd64`, or `linux/amd64/v3` for one that not every such machine runs. */
  readonly platform: string;
}

/** Makes sure that the images a container file builds on are in the engine. */
export interface BaseImages {
  /**
   * Pulls what is missing; what cannot be pulled is replaced with a local stand-in of that name, where one exists. An
   * image in the engine is good when it was pulled for its repository, is a stand-in that the platform made, or is one of
   * those the operator allows: any other may be somebody else's.
   * @throws BASE_IMAGE_UNAVAILABLE, UNAVAILABLE, DISK_FULL
   */
  ensure(names: readonly string[], context: EffectContext): Promise<readonly BaseImage[]>;
}

interface FailedPull {
  readonly reason: string;
  readonly untilMs: number;
}

export function createBaseImages(options: BaseImagesOptions): BaseImages {
  const failures = new Map<string, FailedPull>();
  return {
    ensure: async (names, context) => {
      const images: BaseImage[] = [];
      for (const name of new Set(names)) {
        const isStandIn = await ensureOne(name, context, options, failures);
        const found = await findImage(options.docker, name);
        images.push({ name, isStandIn, onBuild: found?.onBuild ?? [], platform: found?.platform ?? '' });
      }
      return images;
    },
  };
}

/** @returns whether the image is a stand-in */
async function ensureOne(
  name: string,
  context: EffectContext,
  options: BaseImagesOptions,
  failures: Map<string, FailedPull>,
): Promise<boolean> {
  const { standIns } = options;
  if (isAllowed(name, options)) await bringLocal(name, context, options);
  const present = await findImage(options.docker, name);
  if (present !== null && (wasPulledFor(name, present) || isAllowed(name, options))) return false;
  const usable = present !== null && standIns !== null && (await standIns.isCurrent(name, present.id));
  // The label only tells a former stand-in, which may be replaced, from what somebody put there.
  if (present !== null && !usable && present.labels[STAND_IN_LABEL] === undefined) throw inEngineAlone(name);
  const young = present !== null && options.now().getTime() - present.createdMs < TRY_OFFICIAL_AFTER_MS;
  if (usable && young) return useStandIn(name, 'the official image could not be pulled', present.labels, context);
  const reason = await tryPull(name, context, options, failures);
  if (reason === null) return false;
  if (standIns === null || !standIns.covers(name)) throw unavailable(name, reason, standIns);
  if (!usable) {
    context.onLine(`Making a local image ${name} from this machine; the first time takes up to a minute`);
    await untilAborted(makeStandIn(name, reason, standIns), context.signal);
  }
  const made = await findImage(options.docker, name);
  return useStandIn(name, reason, made?.labels ?? {}, context);
}

/** The engine notes a digest for the repository that it pulled an image from, and for none that the image is tagged with. */
function wasPulledFor(name: string, { digests }: FoundImage): boolean {
  const wanted = parseImageName(name);
  return digests.some((digest) => {
    const { host, repository } = parseImageName(digest);
    return host === wanted.host && repository === wanted.repository;
  });
}

function isAllowed(name: string, { localImages = [] }: BaseImagesOptions): boolean {
  const written = JSON.stringify(parseImageName(name));
  return localImages.some((allowed) => JSON.stringify(parseImageName(allowed)) === written);
}

async function bringLocal(name: string, { signal }: EffectContext, options: BaseImagesOptions): Promise<void> {
  try {
    await options.bringLocal?.(name, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw engineError(error, `Copying ${name} to the engine of builds`, 'UNAVAILABLE', { retryable: true });
  }
}

function inEngineAlone(name: string): FairleadError {
  const text = `Base image ${name} lies in the engine alone: it was not pulled from a registry, so it may be somebody else's`;
  const remedy = `name one that a registry has; the operator can pull it ("docker pull ${name}"), or allow it in LOCAL_BASE_IMAGES`;
  return new FairleadError('BASE_IMAGE_UNAVAILABLE', `${text}. To go on: ${remedy}`, { details: { image: name } });
}

function useStandIn(
  name: string,
  reason: string,
  labels: Readonly<Record<string, string>>,
  context: EffectContext,
): true {
  const text = `${name} is a local stand-in made from this machine (glibc and busybox, not the official image)`;
  context.onLine(`${text}: ${reason}`, 'warn');
  const note = labels[STAND_IN_NOTE_LABEL];
  if (note !== undefined) context.onLine(`${name}: ${note}`, 'warn');
  return true;
}

async function makeStandIn(name: string, reason: string, standIns: StandIns): Promise<void> {
  try {
    await standIns.provide(name);
  } catch (error) {
    const failure = engineError(error, `its local stand-in could not be built`, 'BASE_IMAGE_UNAVAILABLE');
    if (failure.code !== 'BASE_IMAGE_UNAVAILABLE') throw failure;
    const text = `Base image ${name} could not be pulled (${reason}), and ${failure.message}`;
    throw new FairleadError('BASE_IMAGE_UNAVAILABLE', text, { cause: error, retryable: true });
  }
}

function unavailable(name: string, reason: string, standIns: StandIns | null): FairleadError {
  const local = standIns === null ? 'local stand-ins are off' : `local stand-ins exist for ${standIns.covered}`;
  const text = `Base image ${name} could not be pulled: ${reason}; ${local}`;
  const inside = /\bForbidden\b/i.test(reason)
    ? ' (name one at a private address, or at another port than 80 and 443, in BUILD_REGISTRIES)'
    : '';
  const remedy = `make its registry reachable${inside}, load the image with "docker load" and name it in LOCAL_BASE_IMAGES, or name another one in FROM`;
  return new FairleadError('BASE_IMAGE_UNAVAILABLE', `${text}. To go on: ${remedy}`, {
    details: { image: name, reason },
  });
}

/** @returns null when the image was pulled, else why not */
async function tryPull(
  name: string,
  context: EffectContext,
  { docker, registry, now }: BaseImagesOptions,
  failures: Map<string, FailedPull>,
): Promise<string | null> {
  const known = failures.get(name);
  if (known !== undefined && known.untilMs > now().getTime()) return known.reason;
  try {
    context.onLine(`Pulling base image ${name}`);
    await pullImage(docker, name, registry, context.signal);
    failures.delete(name);
    return null;
  } catch (error) {
    context.signal.throwIfAborted();
    const mapped = engineError(error, `Pulling ${name}`, 'BASE_IMAGE_UNAVAILABLE');
    if (mapped.code !== 'BASE_IMAGE_UNAVAILABLE') throw mapped;
    const reason = engineMessage(error);
    failures.set(name, { reason, untilMs: now().getTime() + REMEMBER_FAILURE_MS });
    return reason;
  }
}

/** Pulls an image. @throws when the engine refuses, or shows no progress for {@link STALLED_MS} */
export async function pullImage(
  docker: Docker,
  name: string,
  registry: RegistryAuth,
  signal: AbortSignal,
): Promise<void> {
  const stalled = new AbortController();
  const stall = (): void => stalled.abort(new Error(`no progress for ${STALLED_MS / 1000} s`));
  let timer = setTimeout(stall, STALLED_MS);
  const either = AbortSignal.any([signal, stalled.signal]);
  try {
    const image = parseImageName(name);
    const authconfig = registryAuthFor(name, registry);
    const query = { fromImage: name, ...(image.digest === null ? { tag: image.tag } : {}), abortSignal: either };
    const stream = await docker.createImage(authconfig ?? {}, query);
    await followProgress(stream, either, () => {
      clearTimeout(timer);
      timer = setTimeout(stall, STALLED_MS);
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw stalled.signal.aborted ? stalled.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

const imageFacts = z.object({
  Id: z.string(),
  Created: z.string().default(''),
  Os: z.string().default(''),
  Architecture: z.string().default(''),
  Variant: z.string().default(''),
  RepoDigests: z.array(z.string()).nullish(),
  Config: z
    .object({ Labels: z.record(z.string(), z.string()).nullish(), OnBuild: z.array(z.string()).nullish() })
    .nullish(),
});

interface FoundImage {
  readonly id: string;
  readonly digests: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly onBuild: readonly string[];
  readonly platform: string;
  readonly createdMs: number;
}

async function findImage(docker: Docker, name: string): Promise<FoundImage | null> {
  const found = await inspectImage(docker, name).catch((error: unknown) => {
    throw engineError(error, `Looking for image ${name}`, 'UNAVAILABLE', { retryable: true });
  });
  if (found === null) return null;
  const image = imageFacts.parse(found);
  return {
    id: image.Id,
    digests: image.RepoDigests ?? [],
    labels: image.Config?.Labels ?? {},
    onBuild: image.Config?.OnBuild ?? [],
    platform: platformOf(image),
    // The tag may be older than the image: a stand-in is tagged when it is needed.
    createdMs: Math.max(Date.parse(image.Created) || 0, taggedAt(found) ?? 0),
  };
}

/** A variant that builders take for the platform itself is left out. */
function platformOf({ Os, Architecture, Variant }: z.infer<typeof imageFacts>): string {
  const variant = Architecture === 'arm' || (Architecture === 'arm64' && Variant === 'v8') ? '' : Variant;
  return [Os, Architecture, variant].filter((part) => part !== '').join('/');
}

/** The shared making of an image goes on for others when one caller gives up. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
