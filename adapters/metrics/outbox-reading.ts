import type { Reading } from './readings.ts';

/** How much waits in an outbox of the platform, such as that of the audit events of a service. */
export function outboxReading(outbox: string, waiting: () => number | Promise<number>): Reading<'outbox'> {
  return {
    name: `outbox ${outbox}`,
    gauge: 'fairlead_outbox_waiting',
    help: 'Events and notices that are kept until they are delivered.',
    labelNames: ['outbox'],
    read: async () => [{ labels: { outbox }, value: await waiting() }],
  };
}
