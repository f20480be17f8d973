import { type ErrorCode, FairleadError } from '../../../domain/errors.ts';
import type { Reply } from '../../http/define-route.ts';
import { ERROR_STATUS } from '../../http/error-status.ts';

/** What a form shows of an error of its submission. */
export interface FormError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status: number;
  readonly details?: unknown;
}

/** Errors that a person can put right in the form they sent. */
const CORRECTABLE: readonly ErrorCode[] = [
  'LOGIN_FAILED',
  'LOGIN_LOCKED',
  'PASSWORD_REFUSED',
  'USER_EXISTS',
  'VALIDATION_FAILED',
];

/** Handles a submitted form; an error its person can correct shows the form again, any other goes on. */
export async function orShowForm(
  handle: () => Promise<Reply>,
  showForm: (error: FormError) => Promise<Reply>,
): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof FairleadError) || !CORRECTABLE.includes(error.code)) throw error;
    const { code, details } = error;
    return showForm({ code, message: `${error.message}.`, status: ERROR_STATUS[code], details });
  }
}
