import type { DeploysDeps } from '../../../activities/deploys/deps.ts';
import type { BuildRecord } from '../../../domain/deploys/build.ts';
import type { BuiltImage } from '../../../domain/deploys/image-builder.ts';
import type { Workload, WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import { buildRecord, releaseRecord } from '../../ports/records.ts';
import { recordingContext, workloadSpec } from '../../ports/workload-runtime.ts';
import { createInMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { healthyProgram } from '../../support/in-memory/image-registry.ts';

/** More than a page of any store holds. */
export const MANY = 250;

export const NOW = new Date('2026-06-01T12:00:00Z');

const IMAGE = releaseRecord({ id: 'rel_any' }).imageDigest;

/** What recovery and clean-up work with, in memory. A build needs 100 bytes of disk; below 200 it is low. */
export function upkeepParts() {
  const parts = createInMemoryDeploys({ minFreeDiskBytes: 100, lowDiskBytes: 200 });
  const { runtime, workflows, archives, files, registry, advance } = parts;
  advance(NOW.getTime() - parts.now().getTime());
  registry.put(IMAGE, healthyProgram);
  files.put('/image/Dockerfile', { kind: 'file', text: 'FROM alpine\nUSER 1001\n', mode: 0o644 });
  const disk = { freeBytes: 1024 ** 4 };
  const deps: DeploysDeps = { ...parts, images: { ...parts.images, freeBytes: async () => disk.freeBytes } };
  return {
    deps,
    runtime,
    workflows,
    archives,
    advance,
    disk,
    clientStore: parts.clientStore,
    /** Starts a workload whose CPU limit was not applied. */
    startWorkload: (changes: Partial<WorkloadSpec>): Promise<Workload> =>
      runtime.start(workloadSpec(IMAGE, changes), recordingContext()),
    /** An open build of `shop`, and the image `shop:<build>` it made. */
    async build(id: string, changes: Partial<BuildRecord> = {}): Promise<void> {
      const record = buildRecord({ id, service: 'shop', imageTag: `shop:${id}`, ...changes });
      const { service, environment } = record;
      await deps.builds.create(record);
      const paths = { contextDirectory: '/image', dockerfile: '/image/Dockerfile' };
      const of = { buildId: id, org: 'acme', service, environment };
      const input = { ...of, ...paths, tag: `shop:${id}`, labels: {}, secrets: {} };
      await deps.images.build(input, recordingContext());
    },
    /** Names of all images there are. */
    async imageNames(): Promise<string[]> {
      const found: BuiltImage[] = [];
      const keepAll = async (image: BuiltImage): Promise<boolean> => found.push(image) > 0;
      await deps.images.prune(keepAll, new AbortController().signal);
      return found.flatMap(({ names }) => names).toSorted();
    },
  };
}
