import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import {
  packageChangelogBodySchema,
  packageChangelogViewSchema,
  packageNameSchema,
  packageVersionSchema,
} from '../../domain/registry/schema.ts';
import { packageChangelogView } from '../../domain/registry/views.ts';
import { ADMINISTRATORS, ANYONE_KNOWN } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { RegistryDeps } from './deps.ts';

/** Such as `@fairlead/sdk@1.2.0`, encoded: `%40fairlead%2Fsdk%401.2.0`. */
const ofVersion = z.strictObject({
  entry: z
    .string()
    .max(400)
    .transform((entry) => {
      const at = entry.lastIndexOf('@');
      return { package: entry.slice(0, Math.max(at, 0)), version: entry.slice(at + 1) };
    })
    .pipe(z.object({ package: packageNameSchema, version: packageVersionSchema })),
});

/** Changelogs of the packages of the SDK, by `{package}@{version}` (spec 2, step 8). */
export function packageRoutes({ packages, now }: Pick<RegistryDeps, 'packages' | 'now'>): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/package-changelogs',
      summary: 'Changelogs of packages',
      tag: 'packages',
      callers: ANYONE_KNOWN,
      query: z.strictObject({ ...pageQueryShape, package: packageNameSchema.optional() }),
      responses: { 200: { description: 'A page of changelogs', schema: pageSchema(packageChangelogViewSchema) } },
      handle: async ({ query: { cursor = null, limit, package: name = null } }) => {
        const { items, nextCursor } = await packages.list(name, { cursor, limit });
        return { status: 200, data: { items: items.map(packageChangelogView), nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/package-changelogs/:entry',
      summary: 'What a version of a package changes',
      tag: 'packages',
      callers: ANYONE_KNOWN,
      params: ofVersion,
      responses: { 200: { description: 'The changelog', schema: packageChangelogViewSchema } },
      errors: ['NOT_FOUND'],
      handle: async ({ params: { entry } }) => {
        const changelog = await packages.find(entry.package, entry.version);
        if (changelog !== null) return { status: 200, data: packageChangelogView(changelog) };
        throw new FairleadError('NOT_FOUND', `There is no changelog of ${entry.package}@${entry.version}`);
      },
    }),
    defineRoute({
      method: 'put',
      path: '/v1/package-changelogs/:entry',
      summary: 'Publishes what a version of a package changes, once',
      tag: 'packages',
      callers: ADMINISTRATORS,
      params: ofVersion,
      body: packageChangelogBodySchema,
      responses: { 200: { description: 'It is published', schema: packageChangelogViewSchema } },
      errors: ['CONFLICT'],
      handle: async ({ params: { entry }, body: { notes } }, { caller }) => {
        const changelog = { ...entry, notes, publishedBy: caller.name, publishedAt: now() };
        await packages.publish(changelog);
        return { status: 200, data: packageChangelogView(changelog) };
      },
    }),
  ];
}
