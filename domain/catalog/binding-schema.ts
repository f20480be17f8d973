import { z } from 'zod';
import { MOST_BINDINGS } from '../registered-limits.ts';
import { expectedSchedule } from './cron.ts';
import { PATH } from './path-pattern.ts';
import { entry } from './schema-kinds.ts';

/** Queues and schedules of a catalog (spec 2, "Catalog file"). Each message completes the sentence "expected …, found …". */

/** Queues, and schedules: the service registry keeps both together. */
export const MOST_OF_A_KIND = MOST_BINDINGS / 2;
const BINDING_NAME = 'a name: 1 to 63 lower-case letters, digits, dashes, dots and underscores';
const bindingName = z
  .string({ error: BINDING_NAME })
  .regex(/^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/, { error: BINDING_NAME });
const BINDING_PATH = 'a path that begins with one /, without ..';
const bindingPath = z.string({ error: BINDING_PATH }).regex(PATH, { error: BINDING_PATH }).nullish();
const CRON = 'a schedule such as "0 2 * * *", of at most 200 characters';
const cron = z
  .string({ error: CRON })
  .trim()
  .check(({ value, issues }) => {
    const expected = value.length > 200 ? CRON : expectedSchedule(value);
    if (expected !== null) issues.push({ code: 'custom', message: expected, input: value });
  });

export const queue = entry(
  {
    name: bindingName.describe('Name of the queue'),
    path: bindingPath.describe('Path that gets its messages by POST; /queues/<name> where there is none'),
  },
  '{ name, path }',
);

export const schedule = entry(
  {
    name: bindingName.describe('Name of the schedule'),
    cron: cron.describe('When it runs, UTC: minute, hour, day, month, weekday'),
    path: bindingPath.describe('Path that is called by POST; /schedules/<name> where there is none'),
  },
  '{ name, cron, path }',
);
