import type { WebModule } from '../page.ts';

export const services: WebModule = { pages: [], actions: [] };
