import { auditLedger } from './audit-ledger.ts';
import { authorizedOrgs } from './authorized-orgs.ts';
import { backups } from './backups.ts';
import { certificates } from './certificates.ts';
import { config } from './config.ts';
import { customDomains } from './custom-domains.ts';
import { databases, finalBackups } from './databases.ts';
import { deploys } from './deploys.ts';
import { gitHooks } from './git-hooks.ts';
import { grants } from './grants.ts';
import { identity } from './identity.ts';
import { incidents } from './incidents.ts';
import { logs } from './logs.ts';
import type { WorkerModule } from './module.ts';
import { monitors } from './monitors.ts';
import { notifications } from './notifications.ts';
import { platformBackup } from './platform-backup.ts';
import { properties } from './properties.ts';
import { searchPulls } from './search-pulls.ts';

/** Every module with a part in the worker. */
export const MODULES: readonly WorkerModule[] = [
  deploys,
  databases,
  finalBackups,
  certificates,
  config,
  grants,
  authorizedOrgs,
  gitHooks,
  identity,
  auditLedger,
  logs,
  backups,
  platformBackup,
  searchPulls,
  properties,
  customDomains,
  monitors,
  incidents,
  notifications,
];
