import { rollUpWorkflowId } from '../../domain/monitors/messages.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';

/** Tells the operators, once a day for each shard, that its roll-up fails. Idempotent by the id of the notice. @throws UNAVAILABLE (retryable) */
export async function tellRollUpFailed(
  { outbox, now }: { readonly outbox: Pick<Outbox, 'tell'>; readonly now: () => Date },
  shard: number,
): Promise<void> {
  const at = now();
  const text = [
    `The newest history of the monitors of shard ${shard} is missing from pages and figures. Their checks go on, and no`,
    `result is lost. It is tried again every five minutes; the workflow ${rollUpWorkflowId(shard)} says why it fails.`,
  ].join(' ');
  const subject = `The history of monitors of shard ${shard} was not rolled up`;
  const id = `roll-up/${shard}/${at.toISOString().slice(0, 10)}`;
  await outbox.tell({ id, kind: 'roll-up.failed', org: null, subject, text, data: { shard }, at });
}
