import type { ErrorCode } from '../../domain/errors.ts';
import { bindService, unbindService } from '../../domain/locker/change-item.ts';
import { bindServiceBodySchema, itemViewSchema, serviceIdSchema } from '../../domain/locker/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { changeStoredItem, requireItem } from './change-stored-item.ts';
import type { LockerDeps } from './deps.ts';
import { itemView } from './item-view.ts';
import { itemParams, ORG_LOCKER, placeOf } from './locker-scopes.ts';

const scope = ORG_LOCKER;

/**
 * Which services may be given values of an item. A binding names a service by its id, so that a later service of the same
 * name has none. Whether there is such a service, and whose it is, is looked at when a value is asked for.
 */
export function bindingRoutes(deps: LockerDeps): readonly Route[] {
  const common = {
    tag: 'locker',
    path: `${scope.base}/vaults/:vault/items/:item/bindings/:serviceId`,
    callers: scope.writers,
    params: itemParams(scope).extend({ serviceId: serviceIdSchema }),
    responses: { 200: { description: 'The item', schema: itemViewSchema } },
  };
  const errors: readonly ErrorCode[] = [...scope.errors, 'LOCKER_ITEM_NOT_FOUND', 'CONFLICT'];
  return [
    defineRoute({
      ...common,
      method: 'put',
      summary: 'Bind an item to a service, which may then be given its values',
      body: bindServiceBodySchema,
      errors,
      handle: async ({ params: { serviceId, ...params }, body: { service } }, context) => {
        const place = placeOf(scope, params, context.caller);
        const stored = await changeStoredItem(deps, context, {
          ...{ place, done: 'bound', data: { service, serviceId } },
          make: (item, { at, by }) =>
            bindService(requireItem(item, place), { serviceId, service, boundAt: at, boundBy: by }),
        });
        return { status: 200, data: itemView(deps.cipher, stored) };
      },
    }),
    defineRoute({
      ...common,
      method: 'delete',
      summary: 'Take the binding of an item to a service away; what the service was given stays with it',
      errors,
      handle: async ({ params: { serviceId, ...params } }, context) => {
        const place = placeOf(scope, params, context.caller);
        const stored = await changeStoredItem(deps, context, {
          ...{ place, done: 'unbound', data: { serviceId } },
          make: (item, by) => unbindService(requireItem(item, place), serviceId, by),
        });
        return { status: 200, data: itemView(deps.cipher, stored) };
      },
    }),
  ];
}
