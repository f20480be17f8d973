import { config } from './config/pages.ts';
import { deploys } from './deploys/pages.ts';
import { grants } from './grants/pages.ts';
import { installation } from './installation/pages.ts';
import { logs } from './logs/pages.ts';
import { orgs } from './orgs/pages.ts';
import { overview } from './overview/pages.ts';
import type { WebModule } from './page.ts';
import { services } from './services/pages.ts';
import { start } from './start/pages.ts';
import { styleGuide } from './style-guide/pages.ts';

/** THE registry of pages: one row a module. A module that is not here has no page. */
export const WEB_MODULES: readonly WebModule[] = [
  // One a line.
  overview,
  services,
  start,
  deploys,
  config,
  grants,
  logs,
  orgs,
  installation,
  styleGuide,
];
