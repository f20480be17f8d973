import { setImmediate as nextTick } from 'node:timers/promises';

/**
 * Waits two ticks of the event loop before a command is sent to the database, so that under load the commands of many
 * requests become one. On an idle process this takes no time. The first tick brings requests that arrived together, the
 * second those of clients that have just been answered.
 */
export async function waitForBatch(): Promise<void> {
  await nextTick();
  await nextTick();
}
