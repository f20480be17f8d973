import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { DeployTarget } from '../../../domain/deploys/build-store.ts';
import { epochIsOver } from '../../../domain/deploys/epoch.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import type { ReleaseStore } from '../../../domain/deploys/release-store.ts';
import type { Environment } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { targetKey } from '../../../domain/ids.ts';
import { keepRecord } from './keep-record.ts';
import { byText, newestFirst, pageOf } from './page-of.ts';

type Activated = Release & { readonly activatedAt: Date };

type ActivationKey = [epoch: number, activatedAt: number, id: string];

/** Activations without an epoch are of version 0.1, and older than all others. */
const NEWEST = {
  cursor: z.tuple([z.number(), z.int(), z.string()]),
  keyOf: ({ epoch, activatedAt, id }: Activated): ActivationKey => [epoch ?? -1, activatedAt.getTime(), id],
  compare: ([a, ...restA]: ActivationKey, [b, ...restB]: ActivationKey) => b - a || newestFirst(restA, restB),
};

const BY_TARGET = {
  cursor: z.tuple([z.string(), z.string()]),
  keyOf: ({ service, environment }: DeployTarget) => [service, environment] as [string, string],
  compare: (a: readonly [string, string], b: readonly [string, string]) =>
    byText([a[0]], [b[0]]) || byText([a[1]], [b[1]]),
};

/** Releases in this process. What is put in is frozen; what is given out is what is stored. */
export function createInMemoryReleaseStore(): ReleaseStore {
  const releases = new Map<string, Release>();
  /** The last epoch in which a release may not be activated any more. */
  const withdrawn = new Map<string, number>();
  const activated = (): Activated[] => [...releases.values()].filter(wasActivated).sort(byActivation);
  const of = (service: string, environment: Environment) =>
    activated().filter((release) => release.service === service && release.environment === environment);
  return {
    async put(release) {
      if (!releases.has(release.id)) releases.set(release.id, keepRecord(release));
    },
    find: async (id) => releases.get(id) ?? null,
    async setHealthEndpoint(id, healthEndpoint) {
      const release = releases.get(id);
      if (release !== undefined) releases.set(id, keepRecord({ ...release, healthEndpoint }));
    },
    async setListener(id, { port, portRule, onLoopback }) {
      const release = releases.get(id);
      if (release !== undefined) releases.set(id, keepRecord({ ...release, port, portRule, onLoopback }));
    },
    async addFoundFolder(id, folder) {
      const release = releases.get(id);
      if (release === undefined) return;
      const foundFolders = [...new Set([...release.foundFolders, folder])];
      releases.set(id, keepRecord({ ...release, foundFolders }));
    },
    active: async (service, environment) => of(service, environment)[0] ?? null,
    async listTargets(page) {
      const targets = new Map<string, DeployTarget>();
      for (const { service, environment } of activated()) {
        targets.set(targetKey(service, environment), { service, environment });
      }
      return pageOf(targets.values(), page, BY_TARGET);
    },
    async activate(id, { at, epoch, buildId }) {
      const release = releases.get(id);
      if (release === undefined) throw new FairleadError('RELEASE_NOT_FOUND', `No release has the id ${id}`);
      if ((release.epoch ?? -1) >= epoch) return;
      if ((withdrawn.get(id) ?? -1) >= epoch) throw epochIsOver(release, epoch);
      releases.set(id, keepRecord({ ...release, activatedAt: at, epoch, installedBy: buildId }));
    },
    async withdraw(id, epoch) {
      const release = releases.get(id);
      if (release?.epoch === epoch) return false;
      if (release !== undefined) withdrawn.set(id, Math.max(epoch, withdrawn.get(id) ?? -1));
      return true;
    },
    list: async (service, environment, page) => pageOf(of(service, environment), page, NEWEST),
    listAll: async (page) =>
      pageOf(releases.values(), page, {
        cursor: z.tuple([z.string()]),
        keyOf: ({ id }: Release) => [id] as [string],
        compare: byText,
      }),
    async replaceSecret(id, name, { from, to }) {
      const release = releases.get(id);
      if (release === undefined || !isDeepStrictEqual(release.secrets[name], from)) return false;
      releases.set(id, keepRecord({ ...release, secrets: { ...release.secrets, [name]: to } }));
      return true;
    },
    async removeService({ id, name }) {
      for (const release of releases.values()) {
        if (release.service === name && release.serviceId === id) releases.delete(release.id);
      }
    },
  };
}

function wasActivated(release: Release): release is Activated {
  return release.activatedAt !== null;
}

function byActivation(a: Activated, b: Activated): number {
  return NEWEST.compare(NEWEST.keyOf(a), NEWEST.keyOf(b));
}
