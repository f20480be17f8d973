import type { WebModule } from '../page.ts';
import { setVariable, unsetVariable } from './actions.ts';
import { configPage } from './config-page.ts';

/** Variables and secrets of services. */
export const config: WebModule = { pages: [configPage], actions: [setVariable, unsetVariable] };
