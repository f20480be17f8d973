import { auditLedger } from './audit-ledger.ts';
import { deploys } from './deploys.ts';
import { identity } from './identity.ts';
import type { WorkerModule } from './module.ts';

/** Every module with a part in the worker. */
export const MODULES: readonly WorkerModule[] = [deploys, identity, auditLedger];
