import { html } from '../../api/http/pages/html.ts';
import { definePage, type WebModule } from '../page.ts';

const overviewPage = definePage({
  module: 'overview',
  path: '/',
  summary: 'What fails, what waits, what runs',
  nav: { label: 'Overview', icon: 'home', group: 'work', order: 0 },
  load: async () => null,
  view: () => ({ title: 'Overview', body: html`` }),
});

export const overview: WebModule = { pages: [overviewPage], actions: [] };
