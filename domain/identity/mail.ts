/** Kinds of transactional mail; the keys of template overrides on clients and orgs. */
export const MAIL_KINDS = ['invite', 'magic_link', 'password_reset', 'email_verification'] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

/** A mail ready to be sent. */
export interface Mail {
  /** `eml_…`; becomes the Message-ID, so that a mail sent twice is recognised as one. */
  readonly id: string;
  readonly kind: MailKind;
  readonly to: string;
  /** Shown sender name; the address is the installation's. */
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail that was captured instead of sent. */
export interface CapturedMail extends Mail {
  readonly capturedAt: Date;
}
