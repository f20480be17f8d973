import { Gauge, type Registry } from 'prom-client';

/** A gauge whose values somebody has to be asked for, such as a database. Where several readings have one gauge, equal labels add up. */
export interface Reading<Label extends string = string> {
  /** Names it among the readings of a process, such as `builds`. */
  readonly name: string;
  readonly gauge: string;
  readonly help: string;
  /** At least one: a gauge without labels could not say that its value is not known. */
  readonly labelNames: readonly [Label, ...Label[]];
  /** The values as they are; what is not known has no row. Rejects, or hangs, while whom it asks is away. */
  readonly read: () => Promise<readonly ReadValue<Label>[]>;
  /** How long an answer is good enough: scrapers ask as often as they like. 10 seconds where it says nothing. */
  readonly everyMs?: number;
}

export interface ReadValue<Label extends string = string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

const EVERY_MS = 10_000;
/** A scraper waits 10 seconds by default. */
const LIMIT_MS = 3_000;

interface Kept {
  readonly reading: Reading;
  /** Null while they are not known. */
  values: readonly ReadValue[] | null;
  askedAt: number;
  asking: Promise<readonly ReadValue[] | null> | null;
}

/**
 * Gauges that are read when somebody asks for the metrics. One that cannot be read has no values, and
 * `fairlead_metrics_reading_up` is 0 for it: no old value stands for a new one, and the other metrics are told all the same.
 */
export function createReadings(
  registry: Registry,
  { elapsedMs = () => performance.now(), limitMs = LIMIT_MS }: { elapsedMs?: () => number; limitMs?: number } = {},
) {
  const all: Kept[] = [];
  const gauges = new Map<string, Gauge>();
  const up = new Gauge({
    ...{ name: 'fairlead_metrics_reading_up', registers: [registry], labelNames: ['reading'] as const },
    help: '1 where values that somebody had to be asked for are known, 0 where nobody answered.',
  });

  async function ask(kept: Kept): Promise<void> {
    const at = elapsedMs();
    const { read, everyMs = EVERY_MS } = kept.reading;
    if (kept.asking === null && at - kept.askedAt < everyMs) return;
    if (kept.asking === null) {
      kept.askedAt = at;
      // One that hangs is not asked again meanwhile.
      kept.asking = read()
        .catch(() => null)
        .finally(() => {
          kept.asking = null;
        });
    }
    kept.values = await within(kept.asking, limitMs);
  }

  function show(): void {
    up.reset();
    for (const gauge of gauges.values()) gauge.reset();
    for (const { reading, values } of all) {
      const isKnown = values !== null && !all.some((one) => one.reading.name === reading.name && one.values === null);
      up.set({ reading: reading.name }, isKnown ? 1 : 0);
      if (isKnown) for (const { labels, value } of values) gauges.get(reading.gauge)?.inc(labels, value);
    }
  }

  return {
    add<Label extends string>(reading: Reading<Label>): void {
      const { gauge: name, help, labelNames } = reading;
      if (!gauges.has(name)) gauges.set(name, new Gauge({ name, help, labelNames, registers: [registry] }));
      all.push({
        reading: reading as unknown as Reading,
        values: null,
        askedAt: Number.NEGATIVE_INFINITY,
        asking: null,
      });
    },
    /** Asks for all values that are not known well enough. */
    async refresh(): Promise<void> {
      await Promise.all(all.map(ask));
      show();
    },
  };
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T | null> {
  const limit = Promise.withResolvers<null>();
  const timer = setTimeout(() => limit.resolve(null), limitMs);
  try {
    return await Promise.race([work, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
