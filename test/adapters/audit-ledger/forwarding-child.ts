import { forwardEvents } from '../../../adapters/audit-ledger/forward-events.ts';
import { createTrailSource } from '../../../adapters/mongo/audit/trail-source.ts';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { openOutbox } from '../../../sdk/audit/outbox.ts';
import { KEY } from '../../support/start-ledger.ts';

/** A process that tells the ledger what waits in an outbox or a trail, until it is killed: `outbox <folder>`, `trail <uri>`. */
const [kind = '', place = '', auditUrl = ''] = process.argv.slice(2);

async function openTrail() {
  const { db } = await connectMongo(place, 'forwarding-child');
  const onUnreadable = (id: string, error: unknown) => console.error(id, error);
  return createTrailSource({ db, now: () => new Date(), namespace: 'identity', onUnreadable });
}

const source = kind === 'trail' ? await openTrail() : openOutbox({ folder: place });
forwardEvents({ source, auditUrl, internalKey: KEY, log: { warn: (...args: unknown[]) => console.error(...args) } });
setInterval(() => undefined, 1_000);
