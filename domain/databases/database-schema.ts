import { z } from 'zod';
import { DATABASE_ACCESS } from '../catalog/catalog.ts';
import { ENVIRONMENTS } from '../environment.ts';
import { environmentSchema } from '../environment-schema.ts';
import { DATABASE_ENGINES, ENGINES } from './engines.ts';
import type { DatabaseRecord } from './record.ts';
import { isBeingRotated, rotationBegunAt, rotationWaitsFor } from './rotation.ts';

/** Databases of services as the API shows them; no password is ever among it. */

const time = z.iso.datetime();

export const databaseViewSchema = z.object({
  engine: z.enum(DATABASE_ENGINES),
  databaseName: z.string(),
  environment: z.enum(ENVIRONMENTS),
  user: z.string().describe('The user that workloads are given from now on'),
  loginIssuedAt: time,
  rotation: z
    .enum(['none', 'running', 'waiting'])
    .describe('waiting: one came to no end, the login before is valid as well, and the next night goes on'),
  rotationBegunAt: time
    .nullable()
    .describe('When the rotation began that is under way or waits; null where there is none'),
  rotationWaitsFor: z
    .object({
      for: z
        .enum(['server', 'restart', 'deploy', 'next-night'])
        .describe(
          'server: to accept the new login; restart: of the workload, by a build; deploy: of people; next-night: the last attempt came to no end',
        ),
      buildId: z.string().nullable().describe('The build that restarts the workload, or was to'),
      reason: z.string().nullable().describe('Why the last attempt came to no end'),
      since: time,
    })
    .nullable(),
  createdAt: time,
  backups: z.enum(['nightly', 'none']).describe('none: the platform makes no backups of databases of this engine'),
});

export const rotateReplySchema = databaseViewSchema.extend({
  outcome: z
    .enum(['begun', 'continued', 'joined'])
    .describe('continued: one that waited goes on now; joined: one was at work already, and goes on as it was'),
});

export const consumedViewSchema = databaseViewSchema.extend({
  of: z.string().describe('The service whose database it is'),
  access: z.enum(DATABASE_ACCESS),
});

export const consumerViewSchema = z.object({
  service: z.string(),
  org: z.string(),
  engine: z.enum(DATABASE_ENGINES),
  environment: z.enum(ENVIRONMENTS),
  access: z.enum(DATABASE_ACCESS),
  user: z.string().describe('As the server of the database knows it'),
});

export const loginsReplySchema = z.object({
  databases: z.array(databaseViewSchema).describe('Its own'),
  consumed: z.array(consumedViewSchema).describe('Those of other services that it uses'),
  consumers: z.array(consumerViewSchema).describe('Services that use databases of this one'),
});

export const rotateBodySchema = z.strictObject({
  environment: environmentSchema.default('prod'),
  type: z.enum(DATABASE_ENGINES).optional().describe('Needed where the service has databases of several engines'),
});

/** @param isRotating whether a rotation of it is at work now */
export function databaseView(record: DatabaseRecord, isRotating: boolean): z.output<typeof databaseViewSchema> {
  const { engine, database, environment, login, createdAt } = record;
  const waits = rotationWaitsFor(record, isRotating);
  return {
    ...{ engine, databaseName: database, environment, user: login.user },
    loginIssuedAt: login.issuedAt.toISOString(),
    rotation: isRotating ? 'running' : isBeingRotated(record) ? 'waiting' : 'none',
    rotationBegunAt: rotationBegunAt(record)?.toISOString() ?? null,
    rotationWaitsFor: waits && { ...waits, since: waits.since.toISOString() },
    createdAt: createdAt.toISOString(),
    backups: ENGINES[engine].notBackedUp === null ? 'nightly' : 'none',
  };
}

/** A login that another service has; none for a record of a service's own database. */
export function consumerViews({
  service,
  org,
  engine,
  environment,
  consumes,
  login,
}: DatabaseRecord): z.output<typeof consumerViewSchema>[] {
  if (consumes === null) return [];
  return [{ service, org, engine, environment, access: consumes.access, user: login.user }];
}
