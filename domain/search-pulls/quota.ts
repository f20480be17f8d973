import { type QuotaScope, scopeOf } from '../properties/quota.ts';

/**
 * Quotas on calls of the vendor: 1,200 a minute for each property and for each account, 40,000 a minute and 30,000,000 a
 * day for a project (Search Console API, "Usage limits").
 */
export interface QuotaLimits {
  readonly propertyPerMinute: number;
  readonly accountPerMinute: number;
  readonly projectPerMinute: number;
  readonly projectPerDay: number;
}

export const VENDOR_QUOTAS: QuotaLimits = {
  propertyPerMinute: 1_200,
  accountPerMinute: 1_200,
  projectPerMinute: 40_000,
  projectPerDay: 30_000_000,
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const propertyScopeKey = (property: string): string => `property/${property}`;
/** An account is of one project, and all processes call as one account: its name stands for both. */
export const projectScopeKey = (account: string): string => `project/${account}`;

/** The quotas that a call for a property counts in. */
export function scopesOf(
  call: { readonly property: string; readonly account: string },
  limits: QuotaLimits,
): readonly QuotaScope[] {
  const perMinute = (rule: string, key: string, calls: number): QuotaScope =>
    scopeOf({ key, rule, vendor: 'Google', calls, windowMs: MINUTE_MS });
  const project = projectScopeKey(call.account);
  // The vendor's day begins at another hour than ours: any day touches two of ours.
  const day = { vendor: 'Google', calls: limits.projectPerDay, windowMs: DAY_MS, slots: 1 } as const;
  return [
    perMinute('property', propertyScopeKey(call.property), limits.propertyPerMinute),
    perMinute('account', `account/${call.account}`, limits.accountPerMinute),
    perMinute('project', project, limits.projectPerMinute),
    scopeOf({ key: `${project}/day`, rule: 'project/day', ...day }),
  ];
}
