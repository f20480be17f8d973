import { z } from 'zod';
import { type CustomDomain, type DomainHolder, isHeld } from '../../../domain/custom-domains/custom-domain.ts';
import { proofName } from '../../../domain/custom-domains/ownership-proof.ts';
import type { CustomDomainStore } from '../../../domain/custom-domains/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { keepRecord } from './keep-record.ts';
import { byText, pageOf } from './page-of.ts';

const BY_NAME = {
  cursor: z.tuple([z.string().max(253)]),
  keyOf: ({ domain }: CustomDomain) => [domain] as [string],
  compare: byText,
};

/** Names in this process. */
export function createInMemoryCustomDomainStore(): CustomDomainStore {
  const domains = new Map<string, CustomDomain>();
  return {
    find: async (domain) => domains.get(domain) ?? null,
    async list({ serviceIds, environment, apex }, page) {
      const matching = [...domains.values()]
        .filter(isHeld)
        .filter(({ holder }) => serviceIds?.includes(holder.serviceId) ?? true)
        .filter(({ holder }) => environment === undefined || holder.environment === environment)
        .filter((record) => apex === undefined || record.apex === apex);
      return pageOf(matching, page, BY_NAME);
    },
    async orgsOfApex(apex, leftSince) {
      const all = [...domains.values()].filter((record) => record.apex === apex);
      const holders = all.filter(isHeld).map(({ holder }) => holder);
      const claimants = (some: readonly DomainHolder[]) => [...new Set(some.map(({ claimant }) => claimant))];
      const formers = all.flatMap(({ former }) => (former === null ? [] : [former]));
      const leftAfter = (time: number) => [
        ...new Set(formers.filter(({ until }) => until.getTime() > time).map(({ org }) => org)),
      ];
      const owners = holders.filter(({ ownedSince }) => ownedSince !== null);
      const led = all
        .filter(isHeld)
        .filter(({ holder }) => holder.ownedSince !== null && holder.strayedAt === null && holder.state !== 'failed');
      const proven = led
        .filter(({ domain, holder }) => domain === apex || holder.proof?.name === proofName(apex))
        .filter(({ holder }) => holder.provenAt !== null && holder.sharingRevision === null);
      const zones = all.flatMap(({ zoneMade }) => (zoneMade === null ? [] : [zoneMade]));
      return {
        owning: claimants(owners),
        left: leftAfter(leftSince.getTime()),
        leftEver: leftAfter(Number.NEGATIVE_INFINITY),
        proven: claimants(proven.map(({ holder }) => holder)),
        delegated: claimants(
          led
            .map(({ holder }) => holder)
            .filter(({ mode, proof, provenAt }) => mode === 'cloudflare' && proof === null && provenAt === null)
            .filter(({ zone }) => zone?.status === 'active'),
        ),
        holding: claimants(holders.filter(({ state }) => state !== 'failed')),
        zoneMade: zones.toSorted((one, other) => other.at.getTime() - one.at.getTime())[0] ?? null,
      };
    },
    async orgsShownSince(apex, since) {
      const isShown = ({ provenAt, ownedSince }: DomainHolder) =>
        [provenAt, ownedSince].some((at) => at !== null && at > since);
      const holders = [...domains.values()]
        .filter((record) => record.apex === apex)
        .filter(isHeld)
        .map(({ holder }) => holder)
        .filter((holder) => isShown(holder) && holder.strayedAt === null && holder.removingSince === null)
        .filter(({ sharingRevision }) => sharingRevision === null);
      return [...new Set(holders.map(({ claimant }) => claimant))];
    },
    async usesZone(apex) {
      return [...domains.values()].some(
        ({ holder, ...record }) => record.apex === apex && holder?.mode === 'cloudflare' && holder.state !== 'failed',
      );
    },
    async listZonesMade(page, apex) {
      const made = [...domains.values()]
        .filter((record) => apex === undefined || record.apex === apex)
        .filter(({ zoneMade }) => zoneMade !== null && (!zoneMade.isGone || zoneMade.isRemoving));
      return pageOf(made, page, BY_NAME);
    },
    async usageOf(claimant, since) {
      const all = [...domains.values()];
      const held = all.filter(({ holder }) => holder?.claimant === claimant);
      const waiting = held.filter(({ holder }) => holder?.ownedSince === null);
      const made = all.filter(({ zoneMade }) => zoneMade !== null && zoneMade.at > since);
      const own = all.flatMap(({ zonesMade }) => zonesMade).filter(({ org, at }) => org === claimant && at > since);
      return {
        ...{ held: held.length, waiting: waiting.length },
        ...{ zonesMade: own.length, zonesMadeByAll: made.filter(({ zoneMade }) => zoneMade?.isGone === false).length },
      };
    },
    async insert(record) {
      if (domains.has(record.domain)) return false;
      domains.set(record.domain, keepRecord(record));
      return true;
    },
    async replace(record) {
      if (domains.get(record.domain)?.revision !== record.revision - 1) {
        throw new FairleadError('CONFLICT', 'Another request is changing it', { retryable: true });
      }
      domains.set(record.domain, keepRecord(record));
    },
    async remove({ domain, revision }) {
      if (domains.get(domain)?.revision !== revision) {
        throw new FairleadError('CONFLICT', 'Another request is changing it', { retryable: true });
      }
      domains.delete(domain);
    },
  };
}
