import { openField } from '../../domain/locker/item-values.ts';
import { refuseSealed } from '../../domain/locker/resolve-item.ts';
import { itemValuesSchema } from '../../domain/locker/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { requireItem } from './change-stored-item.ts';
import type { LockerDeps } from './deps.ts';
import { itemParams, OWN_LOCKER, placeOf } from './locker-scopes.ts';
import { itemEvent, recordEvent } from './record-event.ts';

const scope = OWN_LOCKER;

/** A person reads what they keep for themselves: it is for no service, so nobody else has a use of it. */
export function ownValuesRoute(deps: LockerDeps): Route {
  return defineRoute({
    method: 'get',
    path: `${scope.base}/vaults/:vault/items/:item/values`,
    summary: 'Values of an item of your own, in clear',
    tag: 'locker',
    callers: scope.readers,
    params: itemParams(scope),
    responses: { 200: { description: 'The values', schema: itemValuesSchema } },
    errors: ['LOCKER_ITEM_NOT_FOUND', 'ITEM_SEALED'],
    handle: async ({ params }, context) => {
      const place = placeOf(scope, params, context.caller);
      const item = requireItem(await deps.items.find(place), place);
      refuseSealed(item);
      const values = item.fields.map((field) => ({ name: field.name, value: openField(deps.cipher, item, field) }));
      await recordEvent(deps, context, itemEvent(place, 'read'));
      return { status: 200, data: { values } };
    },
  });
}
