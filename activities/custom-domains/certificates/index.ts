import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import { createOrgPlaces } from '../../org-places.ts';
import { whileHeartbeating } from '../../while-heartbeating.ts';
import type { CertificatesDeps } from './deps.ts';
import { fulfilCertificateOrder, type OrderToFulfil } from './fulfil-order.ts';
import {
  checkServed,
  deliverCertificate,
  type Forgetting,
  forgetCertificate,
  type OneHost,
  readCertificate,
  readRenewalTime,
  tellNotServed,
} from './keep-served.ts';
import { type OrderRequest, placeCertificateOrder } from './place-order.ts';
import { settleFile } from './settle-file.ts';

/**
 * The activities of certificates.
 *
 * - Keying: one workflow for the names of a service in an environment (`certificate/<service>/<env>`), and one record.
 * - Retries: for as long as the authority is away; what was begun goes on by the order's URL, which is stored before the
 *   order is used.
 * - Compensation: none. An order that nobody goes on with ends by itself; answers to challenges are removed with its end.
 * No key is in what these take and give: they read it where it is used.
 */
export function createCertificatesActivities(deps: CertificatesDeps) {
  const inOrgPlace = createOrgPlaces('Certificates');
  /** What waits for servers that the owner of a name chose, in a place of the owner's org. */
  const waiting = <T>(owner: CertificateOwner, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    whileHeartbeating(async (signal) => await inOrgPlace(await deps.orgOf(owner), () => work(signal)));
  return {
    placeCertificateOrder: (request: OrderRequest) =>
      waiting(request, (signal) => placeCertificateOrder(deps, request, signal)),
    fulfilCertificateOrder: (order: OrderToFulfil) =>
      waiting(order, (signal) => fulfilCertificateOrder(deps, order, signal)),
    readCertificate: (owner: CertificateOwner) => readCertificate(deps, owner),
    deliverCertificate: (delivery: CertificateOwner & { readonly hosts: readonly string[] }) =>
      deliverCertificate(deps, delivery),
    checkServed: (one: OneHost) =>
      whileHeartbeating(async (signal) => {
        const [claimant] = await deps.claimantsOf(one, [one.host]);
        return await inOrgPlace(claimant ?? null, () => checkServed(deps, one, signal));
      }),
    readRenewalTime: (owner: CertificateOwner) => whileHeartbeating((signal) => readRenewalTime(deps, owner, signal)),
    tellNotServed: (one: OneHost & { readonly reason: string }) => tellNotServed(deps, one),
    /** Of hosts that somebody else holds by now, the files are theirs and stay. Idempotent. */
    removeCertificateFiles: async (hosts: readonly string[]): Promise<void> => {
      for (const host of hosts) await settleFile(deps, host);
    },
    forgetCertificate: (certificate: Forgetting) => forgetCertificate(deps, certificate),
  };
}

export type CertificatesActivities = ReturnType<typeof createCertificatesActivities>;
