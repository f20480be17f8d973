import { createGrantsActivities } from '../../activities/grants/index.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createGrantCommands } from '../../adapters/temporal/grant-commands.ts';
import { grantWorkflowId } from '../../domain/grants/messages.ts';
import { createInMemoryDeploys } from '../support/in-memory/deploys-deps.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

/** A grant that is asked for, approved by the API, revoked by an operator's signal, refused a second one, and removed. */
export async function grant(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const parts = createInMemoryDeploys();
  const partyOf = async (name: string, org: string) => {
    const { service } = await parts.services.upsert({ id: `svc_${name}`, name, org }, {});
    return { serviceId: service.id, name, org };
  };
  const key = {
    holder: await partyOf('shop', 'acme'),
    environment: 'prod',
    target: await partyOf('notes', 'platform'),
  } as const;
  const commands = createGrantCommands(temporal.client);
  const activities = createGrantsActivities({ ...parts, newId });
  await withOwnWorker(temporal, { taskQueue: 'grants', module: 'grants', activities }, async () => {
    await commands.request(key, { scopes: ['notes:read'], by: 'usr_eve', as: 'deploy', requestId: 'req_1' });
    await commands.decide(key, { decision: 'approve', by: 'usr_ada', revision: 1, requestId: 'req_2' });
    const handle = temporal.client.workflow.getHandle(grantWorkflowId(key));
    await handle.signal('revoke', 'ada');
    await handle.signal('deny');
    await commands.apply(key);
    await commands.close(key);
    await handle.result();
  });
  // The first is kept from the time when nobody was told of its end.
  return { grant: grantWorkflowId(key), 'grant-removal-told': grantWorkflowId(key) };
}
