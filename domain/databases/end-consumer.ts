import type { Clock } from '../clock.ts';
import { databaseScope } from './consumer.ts';
import type { DatabaseCommands, DatabaseRecords } from './ports.ts';
import type { DatabaseRecord } from './record.ts';

export interface EndConsumerDeps {
  readonly records: Pick<DatabaseRecords, 'keep' | 'consumersOf'>;
  readonly commands: Pick<DatabaseCommands, 'dropLater'>;
  readonly now: Clock;
}

/**
 * Ends a login to another service's database: from now on no workload is given it, and the workflow that drops databases
 * takes its users away. Idempotent. @throws UNAVAILABLE
 */
export async function endConsumer({ records, commands, now }: EndConsumerDeps, record: DatabaseRecord): Promise<void> {
  const { id, serviceId, state } = record;
  if (record.consumes === null) throw new RangeError(`${id} is a service's own database`);
  const dropAfter = record.dropAfter ?? now();
  if (state === 'active') await records.keep(id, serviceId, dropAfter);
  await commands.dropLater({ id, dropAfter });
}

/** As {@link endConsumer}, unless somebody was given the login since the record was read. */
export async function endUnused({ records, commands, now }: EndConsumerDeps, record: DatabaseRecord): Promise<void> {
  const { id, serviceId, state, given } = record;
  const dropAfter = record.dropAfter ?? now();
  if (state === 'active' && !(await records.keep(id, serviceId, dropAfter, given))) return;
  await commands.dropLater({ id, dropAfter });
}

/** Ends logins that others have to the databases of a service. Idempotent. */
export async function endConsumersOf(
  deps: EndConsumerDeps,
  serviceId: string,
  isMeant: (record: DatabaseRecord) => boolean = () => true,
): Promise<void> {
  for (const record of await deps.records.consumersOf(serviceId)) {
    if (isMeant(record)) await endConsumer(deps, record);
  }
}

/** The scope by which a login may be there, as grants name it. */
export function scopeOfConsumer({ engine, consumes }: Pick<DatabaseRecord, 'engine' | 'consumes'>): string {
  return databaseScope({ engine, access: consumes?.access ?? '' });
}
