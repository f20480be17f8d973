import type { WebModule } from '../page.ts';
import { clientActions } from './client-actions.ts';
import { clientDetailPage } from './client-page.ts';
import { clientsPage } from './clients-page.ts';

export const oauthClients: WebModule = { pages: [clientsPage, clientDetailPage], actions: clientActions };
