import { z } from 'zod';
import { isMailKind, type MailTemplate, templateProblem } from './mail-templates.ts';

const templateSchema = z
  .strictObject({ subject: z.string().max(1_000), text: z.string().max(20_000) })
  .superRefine((template: MailTemplate, context) => {
    const problem = templateProblem(template);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

/** Overrides of transactional mail by kind, as an org or a client sets them. */
export const mailTemplatesSchema = z.record(
  z.string().max(40).refine(isMailKind, 'a kind of mail: invite, magic_link, password_reset, email_verification'),
  templateSchema,
);
