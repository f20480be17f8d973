import type { WebModule } from '../page.ts';
import { searchActions } from './actions.ts';
import { searchPage } from './search-page.ts';

/** What the search engine counts for verified domains. */
export const searchPulls: WebModule = { pages: [searchPage], actions: searchActions };
