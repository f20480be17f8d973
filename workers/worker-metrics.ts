import { MetricsBuffer, type RuntimeOptions } from '@temporalio/worker';
import type { MetricsSettings } from '../adapters/env.ts';
import type { ProcessMetrics } from '../adapters/metrics/process-metrics.ts';

export interface WorkerMetrics {
  readonly metrics: ProcessMetrics | null;
  /** By which the SDK tells its own. */
  readonly runtime: Pick<RuntimeOptions, 'telemetryOptions'>;
}

/** Updates that the SDK keeps until they are brought over; it drops what is more. A busy worker makes some thousand in a second. */
const MOST_UPDATES = 50_000;
const BRING_EVERY_MS = 1_000;

/**
 * The metrics of the worker, those of Temporal's SDK among them, on one listener: the SDK's own would ask nobody for a token.
 * @throws CONFLICT when the port is in use
 */
export async function openWorkerMetrics(
  settings: MetricsSettings | null,
  opened: AsyncDisposableStack,
): Promise<WorkerMetrics> {
  if (settings === null) return { metrics: null, runtime: {} };
  const [{ openProcessMetrics }, { createTemporalMetrics }] = await Promise.all([
    import('../adapters/metrics/process-metrics.ts'),
    import('../adapters/metrics/temporal-metrics.ts'),
  ]);
  const metrics = await openProcessMetrics(settings, opened);
  const buffer = new MetricsBuffer({ maxBufferSize: MOST_UPDATES, useSecondsForDurations: true });
  const bring = createTemporalMetrics(metrics.registry, buffer);
  metrics.beforeTelling(bring);
  const timer = setInterval(bring, BRING_EVERY_MS).unref();
  opened.defer(() => clearInterval(timer));
  return { metrics, runtime: { telemetryOptions: { metrics: { buffer } } } };
}
