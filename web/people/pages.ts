import type { WebModule } from '../page.ts';
import { peoplePage } from './people-page.ts';
import { personActions } from './person-actions.ts';
import { personDetailPage } from './person-page.ts';

export const people: WebModule = { pages: [peoplePage, personDetailPage], actions: personActions };
