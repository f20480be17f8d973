import type { WebModule } from '../page.ts';
import { bindingActions, itemActions } from './actions.ts';
import { itemPage } from './item-page.ts';
import { listPage } from './list-page.ts';
import { PLACES } from './places.ts';

export const locker: WebModule = {
  pages: PLACES.flatMap((place) => [listPage(place), itemPage(place)]),
  actions: [...PLACES.flatMap(itemActions), ...bindingActions],
};
