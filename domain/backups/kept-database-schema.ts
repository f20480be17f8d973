import { z } from 'zod';
import { DATABASE_ENGINES } from '../databases/engines.ts';
import { ENVIRONMENTS } from '../environment.ts';
import type { KeptDatabase } from './kept-database.ts';

export const keptDatabaseSchema = z.object({
  id: z.string(),
  engine: z.enum(DATABASE_ENGINES),
  databaseName: z.string().describe('On the server'),
  of: z.string().describe('The database whose place a restored one took; its own name where its service was removed'),
  service: z.string().nullable(),
  environment: z.enum(ENVIRONMENTS).nullable(),
  org: z.string().nullable().describe('null where nobody has it any more: the platform alone sees it'),
  because: z.enum(['restore', 'service-removed']),
  sizeBytes: z.int().nullable().describe('When it was kept; null where its server has not told'),
  keptUntil: z.iso.datetime().describe('When it is dropped: one of a removed service after a final backup'),
  state: z.enum(['kept', 'dropping']).describe('dropping: its time has come'),
});

export const keptReplySchema = z.object({ databases: z.array(keptDatabaseSchema) });

export type KeptDatabaseView = z.output<typeof keptDatabaseSchema>;

export const dropKeptBodySchema = z.strictObject({
  confirm: z.string().max(200).describe('The name of the database on its server, as `databaseName` says'),
  dryRun: z.boolean().default(false).describe('Tells whether it may be dropped, and drops nothing'),
});

export function keptDatabaseView({ bytes, keptUntil, ...kept }: KeptDatabase): KeptDatabaseView {
  return { ...kept, sizeBytes: bytes, keptUntil: keptUntil.toISOString() };
}
