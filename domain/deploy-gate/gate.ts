/**
 * The module `deploy-gate`: what must be true before an image is built (spec 2, "Deploy gate"). Ordered tables of skips and
 * checks, one file each; the step `deploy-gate` goes through them.
 *
 * The contract names ENABLE_K8S_DEPLOY as a condition, which it calls the switch of "the deploy half of the pipeline". Here
 * every installation deploys, the embedded one to its container engine, so the gate applies to all that have a wallet.
 */

import type { Catalog } from '../catalog/catalog.ts';

/** What the operator decides about the gate. */
export interface GateSettings {
  /** ALLOWED_DEPLOY_ORGS: slugs of orgs, or {@link EVERY_ORG}. Empty: the platform's org alone. */
  readonly allowedOrgs: readonly string[];
  /** DEPLOY_GATE_SKIP_SERVICES: names of services that pass without a check, besides those of the platform. */
  readonly skipServices: readonly string[];
  readonly platformOrg: string;
}

/** In ALLOWED_DEPLOY_ORGS: each org of the installation may deploy. */
export const EVERY_ORG = '*';

/** A deploy before the gate. */
export interface GateRequest {
  readonly service: string;
  /** The org that the service belongs to. */
  readonly org: string;
  readonly catalog: Pick<Catalog, 'owner' | 'podTier' | 'storage'>;
  readonly settings: GateSettings;
  /** Reads what an org can spend, in whole tokens. @throws UNAVAILABLE of the system `wallet`; ORG_NOT_FOUND */
  readonly readBalance: (org: string) => Promise<number>;
}

/** Why the gate does not apply to a deploy; null where it does. */
export type GateSkip = (request: GateRequest) => string | null;

/** One condition. It returns what was found, in words for the build's log. @throws FairleadError for a deploy that it refuses */
export type GateCheck = (request: GateRequest) => Promise<string>;

/** The org whose gas a service takes: the owner that its catalog names, or the org that it belongs to. */
export function ownerOf({ catalog, org }: Pick<GateRequest, 'catalog' | 'org'>): string {
  return catalog.owner ?? org;
}
