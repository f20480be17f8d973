/** A share of time in percent: cut and not rounded, so that only what was never down is 100. @param share 0 to 1 */
export function cutPercent(share: number, decimals: number): number {
  const unit = 10 ** decimals;
  return Math.floor(share * (100 * unit) + 1e-9) / unit;
}
