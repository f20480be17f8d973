import type { WebModule } from '../page.ts';
import { propertyActions } from './actions.ts';
import { jobPage } from './job-page.ts';
import { listPage } from './list-page.ts';
import { overviewPage } from './overview-page.ts';
import { propertyPage } from './property-page.ts';

/** Domains of the organisation and their verification. The list comes before a domain, which none is called. */
export const properties: WebModule = {
  pages: [overviewPage, listPage, jobPage, propertyPage],
  actions: propertyActions,
};
