import type { Catalog } from './catalog.ts';
import { parseQuantity } from './parse-quantity.ts';
import { DEFAULT_POD_TIER, POD_TIERS, type PodTierName, REQUEST_FLOOR } from './pod-tiers.ts';

export interface StatedResources {
  readonly tier: string | null;
  readonly cpu: string | null;
  readonly memory: string | null;
}

type Resources = Pick<Catalog, 'podTier' | 'cpuRequestMillis' | 'memoryRequestBytes'>;

/** Tier and requests of a workload (spec 2, "Pod tiers"): what cannot be used falls back, with a warning. */
export function decideResources(stated: StatedResources, warnings: string[]): Resources {
  const podTier = decideTier(stated.tier, warnings);
  const tier = POD_TIERS[podTier];
  const request = (row: RequestRow): number => decideRequest(row, podTier, warnings);
  return {
    podTier,
    cpuRequestMillis: request({
      name: 'platform.io/cpu-request',
      stated: stated.cpu,
      scale: 1_000,
      floor: REQUEST_FLOOR.cpuMillis,
      ceiling: tier.cpuLimitMillis,
      fallback: tier.cpuRequestMillis,
      show: (millis) => `${millis}m`,
    }),
    memoryRequestBytes: request({
      name: 'platform.io/memory-request',
      stated: stated.memory,
      scale: 1,
      floor: REQUEST_FLOOR.memoryBytes,
      ceiling: tier.memoryLimitBytes,
      fallback: tier.memoryRequestBytes,
      show: (bytes) => `${bytes / 1024 ** 2}Mi`,
    }),
  };
}

interface RequestRow {
  readonly name: string;
  readonly stated: string | null;
  readonly scale: number;
  readonly floor: number;
  readonly ceiling: number;
  readonly fallback: number;
  readonly show: (value: number) => string;
}

function decideTier(stated: string | null, warnings: string[]): PodTierName {
  if (stated === null) return DEFAULT_POD_TIER;
  const found = Object.keys(POD_TIERS).find((name): name is PodTierName => name === stated);
  if (found !== undefined) return found;
  const names = Object.keys(POD_TIERS).join(', ');
  warnings.push(`platform.io/pod-tier ${JSON.stringify(stated)} is not one of ${names}; ${DEFAULT_POD_TIER} is used`);
  return DEFAULT_POD_TIER;
}

function decideRequest(row: RequestRow, tier: PodTierName, warnings: string[]): number {
  if (row.stated === null) return row.fallback;
  const quantity = parseQuantity(row.stated);
  const value = quantity === null ? null : Math.round(quantity * row.scale);
  const problem = describeProblem(row, value, tier);
  if (value !== null && problem === null) return value;
  warnings.push(`${row.name} ${JSON.stringify(row.stated)} ${problem}; ${row.show(row.fallback)} is used`);
  return row.fallback;
}

function describeProblem(row: RequestRow, value: number | null, tier: PodTierName): string | null {
  if (value === null) return 'is not a quantity such as 250m or 64Mi';
  if (value < row.floor) return `is below the floor of ${row.show(row.floor)}`;
  if (value > row.ceiling) return `is above the limit of the ${tier} tier, ${row.show(row.ceiling)}`;
  return null;
}
