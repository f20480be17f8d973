/** Pod tiers (spec 2, "Pod tiers"): CPU in cores and milli-cores, memory in bytes, gas in tokens. */
export interface PodTier {
  readonly cpuLimitMillis: number;
  readonly memoryLimitBytes: number;
  readonly cpuRequestMillis: number;
  readonly memoryRequestBytes: number;
  readonly gasPerHour: number;
  readonly gasPerMonth: number;
}

const MIB = 1024 * 1024;

export const POD_TIERS = {
  nano: tier(250, 256, 25, 128, 5, 3_600),
  small: tier(500, 512, 50, 256, 10, 7_200),
  medium: tier(1_000, 1_024, 100, 512, 23, 16_560),
  large: tier(2_000, 2_048, 200, 1_024, 42, 30_240),
  xlarge: tier(4_000, 4_096, 400, 2_048, 83, 59_760),
} as const satisfies Record<string, PodTier>;

export type PodTierName = keyof typeof POD_TIERS;

export const DEFAULT_POD_TIER: PodTierName = 'nano';

/** The smallest requests a catalog may declare (spec 2, "Config declaration"). */
export const REQUEST_FLOOR = { cpuMillis: 10, memoryBytes: 64 * MIB } as const;

function tier(
  cpuLimitMillis: number,
  memoryLimitMib: number,
  cpuRequestMillis: number,
  memoryRequestMib: number,
  gasPerHour: number,
  gasPerMonth: number,
): PodTier {
  return {
    cpuLimitMillis,
    memoryLimitBytes: memoryLimitMib * MIB,
    cpuRequestMillis,
    memoryRequestBytes: memoryRequestMib * MIB,
    gasPerHour,
    gasPerMonth,
  };
}
