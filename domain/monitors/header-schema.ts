import { z } from 'zod';
import { HIDDEN_SECRET } from '../config/sealed-secret.ts';
import {
  type CheckHeader,
  headersProblem,
  isHeaderName,
  isHeaderValue,
  MOST_HEADER_NAME_CHARACTERS,
  MOST_HEADER_VALUE_CHARACTERS,
  MOST_HEADERS,
} from './check-headers.ts';
import { MOST_SECRET_CHARACTERS, MOST_SECRET_HOSTS } from './check-secret.ts';

export const secretNameSchema = z
  .string()
  .max(100)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'lower-case letters, digits and dashes, such as payments-token');

const name = z
  .string()
  .min(1)
  .max(MOST_HEADER_NAME_CHARACTERS)
  .refine(isHeaderName, 'the name of a header, such as X-Tenant');
const value = (most: number) =>
  z
    .string()
    .max(most)
    .refine(isHeaderValue, 'visible ASCII characters, with spaces between them: a line break is none');

const headerSchema = z
  .strictObject({
    name,
    // What viewers are shown in its place, so that an export of theirs sets nothing.
    value: value(MOST_HEADER_VALUE_CHARACTERS)
      .refine((text) => text !== HIDDEN_SECRET, 'the value, which is hidden from viewers')
      .optional(),
    secret: secretNameSchema.optional().describe('Of the org: its value is that of the header'),
  })
  .refine(
    (header) => (header.value === undefined) !== (header.secret === undefined),
    'a value, or the name of a secret',
  )
  .transform(
    (header): CheckHeader =>
      header.secret === undefined
        ? { name: header.name, value: header.value ?? '' }
        : { name: header.name, secret: header.secret },
  );

export const headersSchema = z
  .array(headerSchema)
  .max(MOST_HEADERS)
  .superRefine((headers, context) => {
    const problem = headersProblem(headers);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .describe('Request headers; the value of each is plain text, or that of a secret of the org');

/** As they are stored. */
export const storedHeadersSchema: z.ZodType<readonly CheckHeader[]> = z.array(
  z.union([z.object({ name: z.string(), value: z.string() }), z.object({ name: z.string(), secret: z.string() })]),
);

/** As an address writes it; `URL` leaves out the port of https. */
const host = z
  .string()
  .max(300)
  .regex(/^[^\s/?#@\\]+$/, 'a host such as api.example.com, with its port where it is not the usual one')
  .transform((text, context) => {
    const written = URL.parse(`https://${text}`)?.host ?? '';
    if (written === '') context.addIssue({ code: 'custom', message: 'a host such as api.example.com' });
    return written;
  });

/** `PUT /api/monitor-secrets/:name` */
export const checkSecretSchema = z.strictObject({
  value: value(MOST_SECRET_CHARACTERS).describe('The whole value of a header, such as `Bearer …`'),
  hosts: z
    .array(host)
    .min(1)
    .max(MOST_SECRET_HOSTS)
    .transform((hosts) => [...new Set(hosts)].sort())
    .describe('Where checks send it, and nowhere else'),
});

/** A secret in replies: never its value. */
export const checkSecretViewSchema = z.object({
  name: z.string(),
  value: z.literal(HIDDEN_SECRET),
  hosts: z.array(z.string()),
  usedBy: z.int().min(0).describe('How many monitors send it'),
  setAt: z.iso.datetime(),
  setBy: z.string(),
});
