import { createAuditClient } from '../../../sdk/index.ts';

/** A service that says what became of each emit, until it is killed. */
const [folder = '', auditUrl = ''] = process.argv.slice(2);
const client = createAuditClient({ auditUrl, apiKey: 'key', outbox: { folder }, onError: () => {} });
for (let number = 0; ; number += 1) {
  const { status } = await client.emit({ eventType: 'order.placed', entityId: `order-${number}` });
  process.stdout.write(`${number} ${status}\n`);
}
