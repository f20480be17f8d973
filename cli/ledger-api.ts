import type { ApiClient } from './api-client.ts';
import type { CliContext } from './context.ts';
import { connectToService } from './service-api.ts';

/** The audit ledger that belongs to a builder API. @throws CliFailure NO_LEDGER, LEDGER_UNSAFE */
export function connectToLedger(context: CliContext): ApiClient {
  return connectToService(context, 'audit-ledger', { unknown: 'NO_LEDGER', unsafe: 'LEDGER_UNSAFE' });
}
