import { z } from 'zod';
import { isPlainText } from '../plain-text.ts';
import { MOST_UPDATE_CHARACTERS, UPDATE_STATES } from './incident.ts';

const body = z
  .string()
  .trim()
  .min(1)
  .max(MOST_UPDATE_CHARACTERS)
  .refine(isPlainText, 'text without control characters');

/** `POST /api/incidents/:id/updates` */
export const incidentUpdateSchema = z.strictObject({
  status: z.enum(UPDATE_STATES).exclude(['resolved']),
  body,
});

/** `POST /api/incidents/:id/resolve` */
export const resolveSchema = z.strictObject({ note: body.nullable().default(null) });

/** `POST /api/incidents`: one that a person writes. */
export const newIncidentSchema = z.strictObject({
  title: z.string().trim().min(1).max(200).refine(isPlainText, 'text without control characters'),
  body,
  isPublic: z.boolean().default(true),
});
