import { z } from 'zod';
import { itemRemovedSchema, itemViewSchema } from '../../domain/locker/schema.ts';
import { type Action, defineAction } from '../page.ts';
import { type ItemParams, itemApi, itemParams, itemPath, type LockerPlace, ORG_PLACE } from './places.ts';
import { typedValue, VALUE_FIELD, valueBody } from './value-fields.ts';

const name = z.string().trim().max(200);

/** What changes items of a locker. Values go in by these forms, and none comes out. */
export function itemActions(place: LockerPlace): readonly Action[] {
  const row = { module: 'locker', callers: place.writers } as const;
  const of = place.kind === 'org' ? 'of the org' : 'of the person';
  const base = `${place.path}/items/:vault/:item`;
  const back = (at: ItemParams): string => itemPath(place, at);
  return [
    defineAction({
      ...row,
      path: place.path,
      summary: `Keeps a new credential ${of}`,
      body: z.object({ vault: name, item: name, ...valueBody }),
      secrets: [VALUE_FIELD],
      back: () => place.path,
      run: async ({ platform, person, body: { vault, item, ...body } }) => {
        const at = { vault, item };
        const change = { fields: [typedValue(body)] };
        await platform.send('locker', 'PATCH', itemApi(place, person, at), itemViewSchema, { body: change });
        return { to: itemPath(place, at), notice: `${item} is kept.` };
      },
    }),
    defineAction({
      ...row,
      path: `${base}/fields`,
      summary: `Sets a field of a credential ${of}`,
      params: itemParams,
      body: z.object(valueBody),
      secrets: [VALUE_FIELD],
      back,
      run: async ({ platform, person, params, body }) => {
        const change = { fields: [typedValue(body)] };
        await platform.send('locker', 'PATCH', itemApi(place, person, params), itemViewSchema, { body: change });
        return {
          to: back(params),
          notice:
            place.kind === 'org' ? 'Saved. A service that has a copy of the old value copies it again.' : 'Saved.',
        };
      },
    }),
    defineAction({
      ...row,
      path: `${base}/fields/:field/remove`,
      summary: `Removes a field of a credential ${of}`,
      params: itemParams.extend({ field: z.string().max(63) }),
      back,
      run: async ({ platform, person, params: { field, ...at } }) => {
        const body = { removeFields: [field] };
        await platform.send('locker', 'PATCH', itemApi(place, person, at), itemViewSchema, { body });
        return { to: back(at), notice: `${field} is removed.` };
      },
    }),
    defineAction({
      ...row,
      path: `${base}/seal`,
      summary: `Seals a credential ${of}`,
      params: itemParams,
      back,
      run: async ({ platform, person, params }) => {
        await platform.send('locker', 'POST', itemApi(place, person, params, 'seal'), itemViewSchema);
        return { to: back(params), notice: 'The item is sealed.' };
      },
    }),
    defineAction({
      ...row,
      path: `${base}/remove`,
      summary: `Removes a credential ${of}`,
      params: itemParams,
      back,
      run: async ({ platform, person, params }) => {
        await platform.send('locker', 'DELETE', itemApi(place, person, params), itemRemovedSchema);
        return { to: place.path, notice: `${params.item} is removed.` };
      },
    }),
  ];
}

const base = `${ORG_PLACE.path}/items/:vault/:item/bindings`;
const back = (at: ItemParams): string => itemPath(ORG_PLACE, at);
const row = { module: 'locker', callers: ORG_PLACE.writers } as const;

/** Which services are given values of an item. The locker decides by the id: a later service of the same name has none. */
export const bindingActions: readonly Action[] = [
  defineAction({
    ...row,
    path: base,
    summary: 'Binds a credential to a service',
    params: itemParams,
    body: z.object({ service: z.string().regex(/^\S{1,64} \S{1,64}$/, 'choose a service') }),
    back,
    run: async ({ platform, person, params, body }) => {
      const [serviceId = '', service = ''] = body.service.split(' ');
      const path = itemApi(ORG_PLACE, person, params, 'bindings', serviceId);
      await platform.send('locker', 'PUT', path, itemViewSchema, { body: { service } });
      return { to: back(params), notice: `${service} may copy its values into its variables now.` };
    },
  }),
  defineAction({
    ...row,
    path: `${base}/:serviceId/remove`,
    summary: 'Takes the binding of a credential to a service away',
    params: itemParams.extend({ serviceId: z.string().max(64) }),
    back,
    run: async ({ platform, person, params: { serviceId, ...at } }) => {
      await platform.send('locker', 'DELETE', itemApi(ORG_PLACE, person, at, 'bindings', serviceId), itemViewSchema);
      return { to: back(at), notice: 'The binding is gone.' };
    },
  }),
];
