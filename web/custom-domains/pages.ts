import type { WebModule } from '../page.ts';
import { domainActions } from './actions.ts';
import { domainPage } from './domain-page.ts';
import { domainsPage } from './domains-page.ts';

/** Names of their own that services are served at. */
export const customDomains: WebModule = { pages: [domainsPage, domainPage], actions: domainActions };
