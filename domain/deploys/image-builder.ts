import type { Environment } from '../environment.ts';
import type { DeployTarget } from './build-store.ts';
import type { EffectContext } from './effect-context.ts';

export interface ImageBuildInput {
  readonly buildId: string;
  /** Org that asked for the build: what its builds may use, it shares between them. */
  readonly org: string;
  readonly service: string;
  readonly environment: Environment;
  /** Absolute. */
  readonly contextDirectory: string;
  /** Absolute path of the container file. */
  readonly dockerfile: string;
  readonly tag: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Files that instructions of the container file may mount by id; ids to their text. In no layer but what an instruction writes of them. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** An image that a build made. */
export interface BuiltImage extends DeployTarget {
  readonly buildId: string;
  /** Its tags and digest references; none when another image took its tag. */
  readonly names: readonly string[];
}

/** Builds, pushes and prunes images. Every call ends its own processes when the signal aborts. */
export interface ImageBuilder {
  /** True where RUN instructions can have mounts, as with BuildKit. */
  readonly mounts: boolean;
  /** @throws IMAGE_BUILD_FAILED, BUILD_LIMIT_EXCEEDED, BASE_IMAGE_UNAVAILABLE, CONTAINER_FILE_MISSING, DISK_FULL, or the abort reason */
  build(input: ImageBuildInput, context: EffectContext): Promise<{ imageId: string }>;
  /**
   * Text of a file in a built image; null when it has no file there.
   * @throws NOT_FOUND for a tag that was not built, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE for bytes that are no UTF-8,
   *   UNAVAILABLE, or the abort reason
   */
  readText(tag: string, path: string, limitBytes: number, signal: AbortSignal): Promise<string | null>;
  /** @returns the digest reference `registry/name@sha256:…`. @throws IMAGE_PUSH_FAILED, DISK_FULL, or the abort reason */
  push(tag: string, context: EffectContext): Promise<{ digest: string }>;
  /**
   * Removes images of this platform that no container uses and nothing needs, with their manifests, and old build cache.
   * Each image is asked for after it was found, so that one of a build that began meanwhile is safe.
   */
  prune(
    isNeeded: (image: BuiltImage) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<{ removed: readonly string[]; reclaimedBytes: number }>;
  freeBytes(): Promise<number>;
}
