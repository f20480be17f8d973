/**
 * Counts by latency, in buckets whose bounds grow by 2^(1/4): a quantile is at most 19 % too high. Two histograms are added
 * bucket by bucket, so that hours make a day without the single results.
 */
export type LatencyHistogram = readonly number[];

/** The last bucket takes all from 60 seconds on. */
export const LATENCY_BUCKETS = 65;

/** Milliseconds: the highest latency of a bucket. */
export function bucketBoundMs(bucket: number): number {
  return 2 ** (bucket / 4);
}

export function bucketOf(durationMs: number): number {
  if (durationMs <= 1) return 0;
  return Math.min(LATENCY_BUCKETS - 1, Math.ceil(4 * Math.log2(durationMs) - 1e-9));
}

export function histogramOf(durationsMs: readonly number[]): LatencyHistogram {
  const counts: number[] = [];
  for (const bucket of durationsMs.map(bucketOf)) {
    while (counts.length <= bucket) counts.push(0);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
}

export function mergeHistograms(histograms: readonly LatencyHistogram[]): LatencyHistogram {
  const length = Math.max(0, ...histograms.map((counts) => counts.length));
  return Array.from({ length }, (_, bucket) => histograms.reduce((sum, counts) => sum + (counts[bucket] ?? 0), 0));
}

/** The bound of the bucket in which the quantile lies, in milliseconds; null without counts. @param quantile 0 to 1 */
export function quantileMs(histogram: LatencyHistogram, quantile: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(quantile * total));
  let seen = 0;
  for (const [bucket, count] of histogram.entries()) {
    seen += count;
    if (seen >= rank) return Math.round(bucketBoundMs(bucket));
  }
  return null;
}
