import { eachItem } from '../../domain/each-item.ts';
import type { SyncSummary } from '../../domain/properties/domain-map.ts';
import type { VerifyRequest, VerifyResult } from '../../domain/properties/messages.ts';
import type { PropertyError } from '../../domain/properties/property.ts';
import { isStranded } from '../../domain/properties/verification.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { closeBrokenJobs } from './close-broken-jobs.ts';
import type { PropertiesActivityDeps } from './deps.ts';
import { type Rechecked, recheckProperty } from './recheck-property.ts';
import { refreshZones, syncDomainMap, type ZonesFound } from './sync-domain-map.ts';
import {
  addOwners,
  type Begun,
  type Confirmed,
  completeVerified,
  confirmOnce,
  confirmRecord,
  failVerification,
  type Look,
  lookForRecord,
  type Placed,
  placeRecord,
  readToken,
  requestToken,
} from './verify-property.ts';

/** How many domains a workflow is given at a time. */
const PAGE = 200;

/** The activities of the workflows of Properties; each can be repeated. */
export function createPropertiesActivities(deps: PropertiesActivityDeps) {
  const ofPeople = { ...deps, engine: deps.asked };
  return {
    syncDomainMap: (): Promise<SyncSummary> => whileHeartbeating((signal) => syncDomainMap(deps, signal)),
    refreshZones: (): Promise<ZonesFound | null> => whileHeartbeating((signal) => refreshZones(deps, signal)),
    requestToken: (request: VerifyRequest): Promise<Begun> => requestToken(deps, request),
    placeRecord: (request: VerifyRequest): Promise<Placed> =>
      whileHeartbeating((signal) => placeRecord(deps, request, signal)),
    lookForRecord: (request: VerifyRequest): Promise<Look> =>
      whileHeartbeating((signal) => lookForRecord(deps, request, signal)),
    confirmRecord: (request: VerifyRequest): Promise<Confirmed> => confirmRecord(deps, request),
    confirmOnce: (domain: string): Promise<Confirmed> => confirmOnce(ofPeople, domain),
    completeVerified: (domain: string): Promise<void> => completeVerified(deps, domain),
    failVerification: (request: VerifyRequest, error: PropertyError): Promise<void> =>
      failVerification(deps, request, error),
    addOwner: (domain: string, email: string): Promise<readonly string[]> => addOwners(ofPeople, domain, [email]),
    readToken: (domain: string): Promise<string> => readToken(ofPeople, domain),
    recordOutcome: ({ domain, jobId }: VerifyRequest, { outcome, message }: VerifyResult): Promise<void> =>
      deps.jobs.recordOutcome(jobId, { domain, outcome, message, at: deps.now() }),
    recheckProperty: (domain: string): Promise<Rechecked> =>
      whileHeartbeating((signal) => recheckProperty(deps, domain, signal)),
    /** A page of the verified domains. Reads only. */
    listVerified: (cursor: string | null) => listVerified(deps, cursor),
    /** Runs that were left alone, which another run takes up. Reads only. */
    listStranded: (): Promise<readonly VerifyRequest[]> => whileHeartbeating((signal) => listStranded(deps, signal)),
    closeBrokenJobs: (): Promise<void> => whileHeartbeating((signal) => closeBrokenJobs(deps, signal)),
  };
}

export type PropertiesActivities = ReturnType<typeof createPropertiesActivities>;

interface DomainPage {
  readonly domains: readonly string[];
  readonly nextCursor: string | null;
}

async function listVerified({ properties }: PropertiesActivityDeps, cursor: string | null): Promise<DomainPage> {
  const { items, nextCursor } = await properties.listAll({ cursor, limit: PAGE });
  const verified = items.filter(({ ignored, verification }) => ignored === null && verification.state === 'verified');
  return { domains: verified.map(({ domain }) => domain), nextCursor };
}

async function listStranded(
  { properties, now, newId }: PropertiesActivityDeps,
  signal: AbortSignal,
): Promise<readonly VerifyRequest[]> {
  const stranded: VerifyRequest[] = [];
  for await (const property of eachItem(properties.listAll, signal)) {
    if (!isStranded(property, now())) continue;
    stranded.push({ domain: property.domain, jobId: property.verification.jobId ?? newId('job') });
    if (stranded.length === PAGE) break;
  }
  return stranded;
}
