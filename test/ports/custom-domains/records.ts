import { randomBytes } from 'node:crypto';
import {
  type CustomDomain,
  type DomainHolder,
  type HeldDomain,
  type NewHolder,
  newDomain,
  newHolder,
  type ZoneMade,
} from '../../../domain/custom-domains/custom-domain.ts';

export const AT = new Date('2026-11-01T10:00:00Z');
export const newApex = (): string => `d${randomBytes(6).toString('hex')}.com`;

export function holder(changes: Partial<DomainHolder> = {}): DomainHolder {
  const fields: NewHolder = {
    ...{ id: 'dom_1', serviceId: 'svc_1', service: 'shop', org: 'acme', claimant: changes.org ?? 'acme' },
    ...{ sharingRevision: null, byAdministrator: false, environment: 'prod', mode: 'direct' },
    ...{
      expectedTarget: '192.0.2.7',
      state: 'pending-dns',
      proof: null,
      ledElsewhere: true,
      overwrite: false,
      canonical: false,
      hsts: false,
    },
    ...{ addedBy: 'usr_ada', addedAt: AT },
  };
  return { ...newHolder(fields), ...changes };
}

export function freeName(changes: Partial<CustomDomain> = {}): CustomDomain {
  const apex = newApex();
  return { ...newDomain({ domain: `shop.${apex}`, apex }, AT), revision: 1, ...changes };
}

export function heldName(changes: Partial<DomainHolder> = {}, name: Partial<CustomDomain> = {}): HeldDomain {
  return { ...freeName(name), holder: holder(changes) };
}

export function zoneMade(changes: Partial<ZoneMade>): ZoneMade {
  return { org: 'acme', at: AT, wasElsewhere: true, isGone: false, isRemoving: false, ...changes };
}
