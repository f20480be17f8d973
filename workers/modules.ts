import { auditLedger } from './audit-ledger.ts';
import { authorizedOrgs } from './authorized-orgs.ts';
import { backups } from './backups.ts';
import { config } from './config.ts';
import { databases } from './databases.ts';
import { deploys } from './deploys.ts';
import { gitHooks } from './git-hooks.ts';
import { grants } from './grants.ts';
import { identity } from './identity.ts';
import { logs } from './logs.ts';
import type { WorkerModule } from './module.ts';

/** Every module with a part in the worker. */
export const MODULES: readonly WorkerModule[] = [
  deploys,
  databases,
  config,
  grants,
  authorizedOrgs,
  gitHooks,
  identity,
  auditLedger,
  logs,
  backups,
];
