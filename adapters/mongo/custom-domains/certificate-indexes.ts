import { BUDGET_SPAN_MS } from '../../../domain/custom-domains/certificates/order-budget.ts';
import type { IndexTable } from '../ensure-indexes.ts';

export const CERTIFICATE_COLLECTIONS = {
  certificates: 'custom-domains.certificates',
  orders: 'custom-domains.orders',
  accounts: 'custom-domains.acme-accounts',
} as const;

export const CERTIFICATE_INDEXES: IndexTable = {
  [CERTIFICATE_COLLECTIONS.orders]: [
    { key: { domains: 1, at: 1 }, name: 'domains_at' },
    { key: { org: 1, at: 1 }, name: 'org_at' },
    { key: { claimants: 1, at: 1 }, name: 'claimants_at' },
    // A day longer than they count.
    { key: { at: 1 }, name: 'at', expireAfterSeconds: BUDGET_SPAN_MS / 1_000 + 86_400 },
  ],
};
