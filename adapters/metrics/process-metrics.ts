import { collectDefaultMetrics, Registry } from 'prom-client';
import type { RequestMeter } from '../../domain/request-meter.ts';
import type { MetricsSettings } from '../env/metrics.ts';
import type { PoolSizes } from '../mongo/pool-sizes.ts';
import { startMetricsServer } from './metrics-server.ts';
import { outboxReading } from './outbox-reading.ts';
import { createPoolGauges } from './pool-gauges.ts';
import { createReadings, type Reading } from './readings.ts';
import { createRequestMeters } from './request-meters.ts';

/** What a process tells a scraper. Its parts add to it what they know; where nobody is told, there is none of it. */
export interface ProcessMetrics {
  /** For metrics of one module alone. */
  readonly registry: Registry;
  /** The meter of the requests of a service. */
  readonly requests: (service: string) => RequestMeter;
  /** Shows the connections to a database. */
  readonly pool: (database: string, read: () => PoolSizes) => void;
  /** Shows values that somebody has to be asked for. */
  readonly reading: <Label extends string>(reading: Reading<Label>) => void;
  /** Shows how much waits in an outbox. */
  readonly outbox: (name: string, waiting: () => number | Promise<number>) => void;
  /** Called before each telling, for what is brought over from elsewhere. */
  readonly beforeTelling: (bring: () => void) => void;
  /** All of it in the text format of Prometheus. */
  readonly text: () => Promise<string>;
}

/**
 * How often Node looks whether its event loop is late; where nothing is, that is the lag that it tells. At the library's 10 ms an idle
 * process takes 0.8 % of a core for it, twice what it takes for all else.
 */
const LAG_LOOK_MS = 20;

/** The metrics of this process: CPU, memory, garbage collections and the lag of its event loop to begin with. */
export function createProcessMetrics(): ProcessMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_LOOK_MS });
  const readings = createReadings(registry);
  const bringing: (() => void)[] = [];
  return {
    registry,
    requests: createRequestMeters(registry),
    pool: createPoolGauges(registry),
    reading: readings.add,
    outbox: (name, waiting) => readings.add(outboxReading(name, waiting)),
    beforeTelling: (bring) => void bringing.push(bring),
    async text() {
      for (const bring of bringing) bring();
      await readings.refresh();
      return await registry.metrics();
    },
  };
}

/**
 * The metrics of this process, and the listener that tells them; `opened` closes it. The library is loaded for this alone.
 * @throws CONFLICT when the port is in use
 */
export async function openProcessMetrics(
  settings: MetricsSettings,
  opened: AsyncDisposableStack,
): Promise<ProcessMetrics> {
  const metrics = createProcessMetrics();
  const { text, registry } = metrics;
  const server = await startMetricsServer({ ...settings, text, contentType: registry.contentType });
  opened.defer(() => server.close());
  return metrics;
}
