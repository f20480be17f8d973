import { buildSummarySchema } from '../../domain/deploys/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';

/** A page of builds, newest first. */
export const buildsReply = pageSchema(buildSummarySchema);
