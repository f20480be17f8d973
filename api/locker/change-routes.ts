import type { ErrorCode } from '../../domain/errors.ts';
import { changeItem, sealItem } from '../../domain/locker/change-item.ts';
import { handleOfItem } from '../../domain/locker/item.ts';
import { changeItemBodySchema, itemRemovedSchema, itemViewSchema } from '../../domain/locker/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { changeStoredItem, requireItem } from './change-stored-item.ts';
import type { LockerDeps } from './deps.ts';
import { itemView } from './item-view.ts';
import { itemParams, type LockerScope, placeOf } from './locker-scopes.ts';
import { itemEvent, recordEvent } from './record-event.ts';

const tag = 'locker';

/** What changes an item: new values, sealing, removal. */
export function changeRoutes(deps: LockerDeps, scope: LockerScope): readonly Route[] {
  const path = `${scope.base}/vaults/:vault/items/:item`;
  const common = { tag, callers: scope.writers, params: itemParams(scope) };
  const errors: readonly ErrorCode[] = [...scope.errors, 'LOCKER_ITEM_NOT_FOUND', 'CONFLICT'];
  const item = (description: string) => ({ 200: { description, schema: itemViewSchema } });
  return [
    defineRoute({
      ...common,
      method: 'patch',
      path,
      summary: `Set and remove fields of an item of ${scope.title}; makes the item where there is none`,
      description:
        'All of it or nothing. Fields that are not named stay. New values for every field unseal a sealed item.',
      body: changeItemBodySchema,
      responses: item('The item is stored'),
      errors: [...errors, 'ITEM_SEALED', 'LOCKER_FULL'],
      handle: async ({ params, body }, context) => {
        const place = placeOf(scope, params, context.caller);
        const fields = body.fields.map(({ name }) => name);
        const data = { fields, removedFields: body.removeFields };
        const stored = await changeStoredItem(deps, context, {
          ...{ place, done: 'changed', data },
          make: (known, by) => changeItem(by, place, known, body),
        });
        return { status: 200, data: itemView(deps.cipher, stored) };
      },
    }),
    defineRoute({
      ...common,
      method: 'post',
      path: `${path}/seal`,
      summary: `Seal an item of ${scope.title}: no value of it leaves any more`,
      description: 'Only new values for every field undo it.',
      responses: item('It is sealed'),
      errors,
      handle: async ({ params }, context) => {
        const place = placeOf(scope, params, context.caller);
        const stored = await changeStoredItem(deps, context, {
          ...{ place, done: 'sealed' },
          make: (known, by) => sealItem(requireItem(known, place), by),
        });
        return { status: 200, data: itemView(deps.cipher, stored) };
      },
    }),
    defineRoute({
      ...common,
      method: 'delete',
      path,
      summary: `Remove an item of ${scope.title}`,
      responses: { 200: { description: 'It is gone', schema: itemRemovedSchema } },
      errors,
      handle: async ({ params }, context) => {
        const place = placeOf(scope, params, context.caller);
        const { id } = requireItem(await deps.items.find(place), place);
        await recordEvent(deps, context, itemEvent(place, 'removed'));
        await deps.items.remove(id);
        return { status: 200, data: { handle: handleOfItem(place) } };
      },
    }),
  ];
}
