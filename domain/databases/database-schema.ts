import { z } from 'zod';
import { DATABASE_ACCESS } from '../catalog/catalog.ts';
import { ENVIRONMENTS } from '../environment.ts';
import { environmentSchema } from '../environment-schema.ts';
import { DATABASE_ENGINES, ENGINES } from './engines.ts';
import type { DatabaseRecord } from './record.ts';
import { isBeingRotated } from './rotation.ts';

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
  createdAt: time,
  backups: z.enum(['nightly', 'none']).describe('none: the platform makes no backups of databases of this engine'),
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
  return {
    ...{ engine, databaseName: database, environment, user: login.user },
    loginIssuedAt: login.issuedAt.toISOString(),
    rotation: isRotating ? 'running' : isBeingRotated(record) ? 'waiting' : 'none',
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
