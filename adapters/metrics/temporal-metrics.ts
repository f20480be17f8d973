import type { BufferedMetricUpdate } from '@temporalio/worker';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/**
 * The metrics of Temporal's SDK that are told, with the labels that they keep: names of queues and of types of workflows and activities,
 * which are in our code, and codes of gRPC. Ids of workflows, whatever the SDK says in later versions, are none of them.
 * Named as Temporal's own exporter does with its unit and total suffixes.
 */
export const FOLLOWED: Readonly<Record<string, readonly string[]>> = {
  temporal_worker_task_slots_available: ['worker_type', 'task_queue'],
  temporal_worker_task_slots_used: ['worker_type', 'task_queue'],
  temporal_num_pollers: ['poller_type', 'task_queue'],
  temporal_sticky_cache_size: ['task_queue'],
  temporal_sticky_cache_total_forced_eviction: [],
  temporal_workflow_completed: ['workflow_type'],
  temporal_workflow_failed: ['workflow_type'],
  temporal_workflow_canceled: ['workflow_type'],
  temporal_workflow_endtoend_latency: ['workflow_type'],
  temporal_workflow_task_schedule_to_start_latency: [],
  temporal_workflow_task_execution_latency: [],
  temporal_workflow_task_execution_failed: ['workflow_type', 'failure_reason'],
  temporal_activity_schedule_to_start_latency: ['task_queue'],
  temporal_activity_execution_latency: ['activity_type'],
  temporal_activity_execution_failed: ['activity_type'],
  temporal_local_activity_execution_latency: ['activity_type'],
  temporal_local_activity_execution_failed: ['activity_type'],
  temporal_request_failure: ['operation', 'status_code'],
  temporal_long_request_failure: ['operation', 'status_code'],
};

const SECONDS = [0.01, 0.05, 0.25, 1, 5, 30, 300, 3_600];

/** The part of the SDK's buffer that is read. */
export interface TemporalBuffer {
  retrieveUpdates(): Iterable<BufferedMetricUpdate>;
}

type Take = (labels: Readonly<Record<string, string>>, value: number) => void;

/** Brings what the SDK has buffered into the registry; see {@link FOLLOWED}. */
export function createTemporalMetrics(registry: Registry, buffer: TemporalBuffer): () => void {
  const takers = new Map<string, Take | null>();
  return () => {
    for (const { metric, value, attributes } of buffer.retrieveUpdates()) {
      const known = takers.get(metric.name);
      const take = known === undefined ? takerOf(registry, metric) : known;
      takers.set(metric.name, take);
      if (take === null) continue;
      const names = FOLLOWED[metric.name] ?? [];
      take(Object.fromEntries(names.map((name) => [name, String(attributes[name] ?? '')])), value);
    }
  };
}

function takerOf(registry: Registry, { name, kind, description }: BufferedMetricUpdate['metric']): Take | null {
  const labelNames = FOLLOWED[name];
  if (labelNames === undefined) return null;
  const common = { help: description || name, labelNames, registers: [registry] };
  if (kind === 'counter') {
    const counter = new Counter({ ...common, name: `${name}_total` });
    return (labels, value) => counter.inc(labels, value);
  }
  if (kind === 'histogram') {
    const histogram = new Histogram({ ...common, name: `${name}_seconds`, buckets: SECONDS });
    return (labels, value) => histogram.observe(labels, value);
  }
  const gauge = new Gauge({ ...common, name });
  if (kind === 'up-down-counter') return (labels, value) => gauge.inc(labels, value);
  return (labels, value) => gauge.set(labels, value);
}
