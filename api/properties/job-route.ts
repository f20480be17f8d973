import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { verifyJobSchema, verifyJobView } from '../../domain/properties/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { PropertiesDeps } from './deps.ts';
import { READERS } from './site-callers.ts';

/** A kind of job: every process that serves the API finds it. */
export interface JobKind {
  readonly schema: z.ZodType;
  /** As the schema shows it; null when there is none of this kind. */
  find(id: string): Promise<unknown>;
}

export function verifyJobKind({ jobs }: Pick<PropertiesDeps, 'jobs'>): JobKind {
  return {
    schema: verifyJobSchema,
    async find(id) {
      const job = await jobs.find(id);
      return job === null ? null : verifyJobView(job);
    },
  };
}

/** One route for the jobs of all kinds. */
export function jobRoute(kinds: readonly [JobKind, ...JobKind[]]): Route {
  const [first, ...others] = kinds.map(({ schema }) => schema);
  const schema = others.length === 0 || first === undefined ? kinds[0].schema : z.union([first, ...others]);
  return defineRoute({
    method: 'get',
    path: '/api/jobs/:id',
    summary: 'A job: how far it is, and what came of it',
    tag: 'jobs',
    ...READERS,
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    responses: { 200: { description: 'The job', schema } },
    errors: ['NOT_FOUND'],
    handle: async ({ params: { id } }) => {
      for (const { find } of kinds) {
        const job = await find(id);
        if (job !== null) return { status: 200, data: job };
      }
      throw new FairleadError('NOT_FOUND', `There is no job ${id}`);
    },
  });
}
