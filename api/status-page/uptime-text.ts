import { cutPercent } from '../../domain/monitors/cut-percent.ts';

/**
 * A share of time as people read it: two decimals, cut and not rounded, so that only what was never down is 100 %.
 * @param uptime 0 to 1; null where nothing is known
 */
export function uptimeText(uptime: number | null): string {
  if (uptime === null) return 'no data';
  return `${cutPercent(uptime, 2)} % up`;
}
