import type { StorageDeclaration } from './catalog.ts';

/** Storage tiers (spec 2, "Limits"): gas in whole tokens. */
export const STORAGE_TIERS_GAS: Readonly<Record<StorageDeclaration['tier'], { readonly gasPerMonth: number }>> = {
  's3-sm': { gasPerMonth: 200 },
  's3-md': { gasPerMonth: 800 },
  's3-lg': { gasPerMonth: 3_000 },
  's3-xl': { gasPerMonth: 10_000 },
};
