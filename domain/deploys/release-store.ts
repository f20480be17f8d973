import type { SealedSecret } from '../config/sealed-secret.ts';
import type { Environment } from '../environment.ts';
import type { Page, PageRequest } from '../page.ts';
import type { DeployTarget } from './build-store.ts';
import type { Listener } from './listening.ts';
import type { Release } from './release.ts';

/** The moment a release becomes the serving one. */
export interface Activation {
  readonly at: Date;
  /** Of the build that activates it. */
  readonly epoch: number;
  /** The build that installed it: its workload serves. */
  readonly buildId: string;
}

/** Releases; at most one of a service and environment is the active one. */
export interface ReleaseStore {
  /** Idempotent on the id. */
  put(release: Release): Promise<void>;
  find(id: string): Promise<Release | null>;
  /** Where the service of a release turned out to answer. No error when there is no such release. */
  setHealthEndpoint(id: string, healthEndpoint: string): Promise<void>;
  /** Where the service of a release was found to listen. No error when there is no such release. */
  setListener(id: string, listener: Listener): Promise<void>;
  /** One more folder that the service of a release was found to make. Idempotent; no error when there is no such release. */
  addFoundFolder(id: string, folder: string): Promise<void>;
  /** The release that was activated in the newest epoch; null before the first. */
  active(service: string, environment: Environment): Promise<Release | null>;
  /** Every service and environment that has an active release, ordered by service, then environment. */
  listTargets(page: PageRequest): Promise<Page<DeployTarget>>;
  /**
   * Idempotent: an activation of an older epoch than the release's own changes nothing.
   * @throws RELEASE_NOT_FOUND; CONFLICT when it was withdrawn in that epoch or a later one
   */
  activate(id: string, activation: Activation): Promise<void>;
  /**
   * Decides that the release will not be activated in that epoch any more; one write decides between this and an
   * activation. @returns false when it was activated in that epoch already; true also when there is no such release
   */
  withdraw(id: string, epoch: number): Promise<boolean>;
  /** Newest activation first; never-activated releases are left out. */
  list(service: string, environment: Environment, page: PageRequest): Promise<Page<Release>>;
  /** Every release, ordered by id. */
  listAll(page: PageRequest): Promise<Page<Release>>;
  /** Puts another sealed form of a secret in the place of `from`. False when something else is there by now. */
  replaceSecret(id: string, name: string, change: { from: SealedSecret; to: SealedSecret }): Promise<boolean>;
  /** Removes the releases of one service record; those of a later service of that name stay. */
  removeService(service: { readonly id: string; readonly name: string }): Promise<void>;
}
