/** Kinds of transactional mail; the keys of template overrides on clients and orgs. */
export const MAIL_KINDS = ['invite', 'magic_link', 'password_reset', 'email_verification'] as const;

/**
 * What tells people of a change to their account. Always in the platform's words and look: whoever may write it could
 * hide what it tells.
 */
export const NOTICE_KINDS = ['second_factor_added', 'second_factor_reset', 'new_device'] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];
export type MailKind = (typeof MAIL_KINDS)[number] | NoticeKind;

export function isNoticeKind(kind: MailKind): kind is NoticeKind {
  return NOTICE_KINDS.some((notice) => notice === kind);
}

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
