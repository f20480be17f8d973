import { z } from 'zod';
import { itemSummarySchema, itemViewSchema, vaultsSchema } from '../../domain/locker/schema.ts';
import { lockerNameSchema } from '../../domain/locker-handle.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { requireItem } from './change-stored-item.ts';
import type { LockerDeps } from './deps.ts';
import { itemSummary, itemView } from './item-view.ts';
import { itemParams, type LockerScope, placeOf } from './locker-scopes.ts';

const tag = 'locker';

/** What is in a locker: names and plain values, and no secret. */
export function itemRoutes({ items, cipher }: LockerDeps, scope: LockerScope): readonly Route[] {
  const { base, readers: callers, errors } = scope;
  const ownerParams = z.strictObject(scope.params);
  return [
    defineRoute({
      method: 'get',
      path: `${base}/vaults`,
      summary: `Vaults of ${scope.title}`,
      description: 'A vault is a name that items share: it is there as long as one of them is.',
      tag,
      callers,
      params: ownerParams,
      responses: { 200: { description: 'By name, with how many items each has', schema: vaultsSchema } },
      errors,
      handle: async ({ params }, { caller }) => {
        const vaults = await items.vaults(scope.ownerOf(params, caller));
        return { status: 200, data: { items: [...vaults] } };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${base}/items`,
      summary: `Items of ${scope.title}, without values`,
      tag,
      callers,
      params: ownerParams,
      query: z.strictObject({ ...pageQueryShape, vault: lockerNameSchema.optional().describe('Only of this vault') }),
      responses: { 200: { description: 'By vault and name', schema: pageSchema(itemSummarySchema) } },
      errors,
      handle: async ({ params, query: { vault = null, cursor = null, limit } }, { caller }) => {
        const page = await items.list({ owner: scope.ownerOf(params, caller), vault }, { cursor, limit });
        return { status: 200, data: { items: page.items.map(itemSummary), nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${base}/vaults/:vault/items/:item`,
      summary: `One item of ${scope.title}, with the values that are not secret`,
      tag,
      callers,
      params: itemParams(scope),
      responses: { 200: { description: 'The item', schema: itemViewSchema } },
      errors: [...errors, 'LOCKER_ITEM_NOT_FOUND'],
      resource: ({ params }, { caller }) => Promise.resolve(placeOf(scope, params, caller)),
      handle: async ({ resource: place }) => ({
        status: 200,
        data: itemView(cipher, requireItem(await items.find(place), place)),
      }),
    }),
  ];
}
