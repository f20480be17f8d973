import { auditLedger } from './audit-ledger/pages.ts';
import { authorizedOrgs } from './authorized-orgs/pages.ts';
import { backups } from './backups/pages.ts';
import { config } from './config/pages.ts';
import { customDomains } from './custom-domains/pages.ts';
import { deploys } from './deploys/pages.ts';
import { gitHooks } from './git-hooks/pages.ts';
import { grants } from './grants/pages.ts';
import { installation } from './installation/pages.ts';
import { locker } from './locker/pages.ts';
import { logs } from './logs/pages.ts';
import { oauthClients } from './oauth-clients/pages.ts';
import { orgs } from './orgs/pages.ts';
import { overview } from './overview/pages.ts';
import type { WebModule } from './page.ts';
import { people } from './people/pages.ts';
import { properties } from './properties/pages.ts';
import { searchPulls } from './search-pulls/pages.ts';
import { services } from './services/pages.ts';
import { start } from './start/pages.ts';
import { styleGuide } from './style-guide/pages.ts';
import { wallet } from './wallet/pages.ts';

/** THE registry of pages: one row a module. A module that is not here has no page. */
export const WEB_MODULES: readonly WebModule[] = [
  // One a line.
  overview,
  services,
  start,
  deploys,
  config,
  backups,
  customDomains,
  grants,
  gitHooks,
  logs,
  authorizedOrgs,
  orgs,
  people,
  oauthClients,
  locker,
  wallet,
  auditLedger,
  installation,
  properties,
  searchPulls,
  styleGuide,
];
