import { setTimeout as delay } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { temporalSection, temporalSettings } from '../../adapters/env/platform.ts';
import { readSection } from '../../adapters/env.ts';
import { createTemporalClient } from '../../adapters/temporal/client.ts';
import { ensureSearchAttributes } from '../../adapters/temporal/search-attributes.ts';
import { SEARCH_ATTRIBUTES } from '../../domain/search-attributes.ts';

/**
 * Waits until a Temporal server serves its namespace with our search attributes, and makes what is missing. A process of
 * its own, so that whoever starts the stack need not keep the client in its memory.
 */
const WITHIN_MS = 50_000;
const PAUSE_MS = 50;
const ALREADY_EXISTS = 6;
const NOT_FOUND = 5;
const RETENTION = '1 day';

const settings = temporalSettings(readSection(temporalSection));
const client = createTemporalClient({ ...settings, identity: 'fairlead-start' });
const deadline = performance.now() + WITHIN_MS;
for (;;) {
  try {
    await ensureNamespace(client);
    // The server knows a new namespace everywhere only a moment later.
    await ensureSearchAttributes(client, Object.values(SEARCH_ATTRIBUTES));
    break;
  } catch (error) {
    if (performance.now() > deadline) throw error;
    await delay(PAUSE_MS);
  }
}
await client.connection.close();

async function ensureNamespace({ workflowService }: Client): Promise<void> {
  const { namespace } = settings;
  try {
    await workflowService.describeNamespace({ namespace });
    return;
  } catch (error) {
    if (!(isGrpcServiceError(error) && error.code === NOT_FOUND)) throw error;
  }
  try {
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs(RETENTION) });
  } catch (error) {
    if (!(isGrpcServiceError(error) && error.code === ALREADY_EXISTS)) throw error;
  }
}
