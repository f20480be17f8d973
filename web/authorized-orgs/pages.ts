import type { WebModule } from '../page.ts';
import { sharingActions, sharingPage } from './sharing-page.ts';

export const authorizedOrgs: WebModule = { pages: [sharingPage], actions: sharingActions };
