import type { WebModule } from '../page.ts';
import { connect } from './connect-action.ts';
import { connectionActions } from './connection-actions.ts';
import { connectionPage } from './connection-page.ts';
import { identitiesPage, identityActions } from './identities-page.ts';
import { listPage } from './list-page.ts';

/** Push deploys: repositories, their deliveries, and the accounts that people linked. */
export const gitHooks: WebModule = {
  pages: [listPage, identitiesPage, connectionPage],
  actions: [connect, ...identityActions, ...connectionActions],
};
