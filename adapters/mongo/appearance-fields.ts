import { z } from 'zod';
import type { WhiteLabel } from '../../domain/branding/white-label.ts';

/** How clients and orgs store what their pages and mail look like. */
export const whiteLabelSchema: z.ZodType<WhiteLabel> = z.object({
  emailFromName: z.string().nullable(),
  logoUrl: z.string().nullable(),
  primaryColor: z.string().nullable(),
});

export const WHITE_LABEL_PARTS: Readonly<Record<keyof WhiteLabel, true>> = {
  emailFromName: true,
  logoUrl: true,
  primaryColor: true,
};

type MailTemplates = Readonly<Record<string, { readonly subject: string; readonly text: string }>>;

/** Stored as a list: a kind is a value then and never the name of a field, so no text in it can act as a path. */
export interface StoredMailTemplate {
  readonly kind: string;
  readonly subject: string;
  readonly text: string;
}

export const mailTemplatesSchema = z
  .array(z.object({ kind: z.string(), subject: z.string(), text: z.string() }))
  .transform(
    (list): MailTemplates => Object.fromEntries(list.map(({ kind, subject, text }) => [kind, { subject, text }])),
  );

export function storedMailTemplates(templates: MailTemplates): StoredMailTemplate[] {
  return Object.entries(templates).map(([kind, { subject, text }]) => ({ kind, subject, text }));
}
